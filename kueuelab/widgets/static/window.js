// Tells how wide and how high a frame is that a picture is scrolled in, and how far it is scrolled.

function render({ model, el }) {
  el.style.display = "none";
  let frame = null;

  const tell = (name, value, least) => {
    if (value <= 0 && name !== "top") return false;
    if (Math.abs(value - model.get(name)) <= least) return false;
    model.set(name, Math.round(value));
    return true;
  };
  // Beyond what is seen there is little drawn; it is time for more before that is seen.
  const scrolled = () => {
    if (tell("top", frame.scrollTop, frame.clientHeight / 16)) model.save_changes();
  };
  const resized = () => {
    const figure = frame.querySelector(".kl-figure");
    const wider = figure && tell("width", figure.clientWidth, 16);
    const higher = tell("height", frame.clientHeight, 16);
    if (wider || higher) model.save_changes();
  };
  const reveal = () => {
    const [from, to] = model.get("reveal");
    if (!frame || to === undefined) return;
    const seen = frame.scrollTop <= from && to <= frame.scrollTop + frame.clientHeight;
    if (!seen) frame.scrollTop = (from + to - frame.clientHeight) / 2;
  };

  const sizes = new ResizeObserver(() => requestAnimationFrame(resized));
  let tries = 0;
  const attach = () => {
    const graph = el.closest(".kl-graph");
    frame = graph && graph.querySelector(".kl-scroll");
    if (!frame) {
      tries += 1;
      if (tries < 600) waiting = requestAnimationFrame(attach);
      return;
    }
    frame.addEventListener("scroll", scrolled, { passive: true });
    sizes.observe(frame);
    reveal();
  };
  let waiting = requestAnimationFrame(attach);

  model.on("change:reveal", reveal);
  return () => {
    cancelAnimationFrame(waiting);
    sizes.disconnect();
    if (frame) frame.removeEventListener("scroll", scrolled);
    model.off("change:reveal", reveal);
  };
}

export default { render };
