// The form of what is chosen: an object with its quota, a job, the pools of nodes.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Skeleton, Trouble, useAnswer } from "./parts.js";
import { choose, chosen, draft, edit, refusals } from "./build_draft.js";
import { remove, rename } from "./build_tree.js";
import { engine } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").DraftForm} DraftForm */
/** @typedef {import("./protocol.js").FormFieldInfo} FormFieldInfo */
/** @typedef {import("./protocol.js").DraftJobInfo} DraftJobInfo */

const QUOTA = /** @type {const} */ (["nominalQuota", "borrowingLimit", "lendingLimit"]);
const PLACEMENTS = ["", "required", "preferred", "unconstrained"];

/** A control that gives what was typed when it is left. @param {{label: string, value: string, commit: (text: string) => void, type?: string, list?: readonly string[], id?: string, placeholder?: string, small?: boolean}} props */
export function TextField({ label, value, commit, list = [], id = "", placeholder = "", small = false }) {
  const [text, setText] = useState(value);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => setText(value), [value]);
  // What is refused can be corrected as long as it has the focus.
  useEffect(() => { if (document.activeElement !== input.current) setText(value); }, [refusals.value]);
  const finish = () => { if (text !== value) commit(text); };
  const name = id || `field-${label.replaceAll(/\W+/g, "-")}`;
  return el("label.control", { class: small ? "small" : "" }, el("span", null, label),
    el("input.in", {
      ref: input, value: text, spellcheck: false, autocomplete: "off", placeholder, list: list.length ? `${name}-list` : undefined,
      onInput: (/** @type {any} */ event) => setText(event.target.value), onBlur: finish,
      onKeyDown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") finish(); if (event.key === "Escape") setText(value); },
    }),
    list.length ? el("datalist", { id: `${name}-list` }, ...list.map((each) => el("option", { key: each, value: each }))) : null);
}

/** @param {{label: string, value: string, choices: readonly string[], commit: (text: string) => void, unset?: boolean}} props */
function Select({ label, value, choices, commit, unset = true }) {
  const all = value && !choices.includes(value) ? [...choices, value] : choices;
  return el("label.control", null, el("span", null, label),
    el("select.in", { value, onChange: (/** @type {any} */ event) => commit(event.target.value) },
      unset ? el("option", { value: "" }, say("app.build.not-set")) : null,
      ...all.filter(Boolean).map((each) => el("option", { key: each, value: each }, each))));
}

/** @param {Parameters<typeof TextField>[0] & {key?: string}} props */
const textField = (props) => h(TextField, props);
/** @param {Parameters<typeof Select>[0]} props */
const selectField = (props) => h(Select, props);

export function Form() {
  const now = chosen();
  const job = now.startsWith("job:") ? draft.value?.jobs.find((each) => each.job === now.slice(4)) : undefined;
  const known = draft.value?.rows.some((row) => `object:${row.object}` === now);
  return el("section.card.form", { "aria-label": say("app.build.form") },
    job ? h(JobForm, { job, key: job.job })
      : now === "nodes" ? h(Nodes, null)
      : known ? h(ObjectForm, { object: now.slice(7), key: now })
      : [el("div.head", null, el("h2", null, say("app.build.form"))), el("p.calm", null, say("app.build.nothing-chosen"))],
    now !== "nodes" ? el("button.link", { onClick: () => choose("nodes") }, say("app.build.nodes")) : null);
}

/** @param {{object: string}} props */
function ObjectForm({ object }) {
  const [kept, setKept] = useState(/** @type {DraftForm | null} */ (null));
  const { found, failure } = useAnswer(() => engine.ask("buildForm", { object }), [object, draft.value]);
  useEffect(() => { if (found) setKept(found); }, [found]);
  const form = found ?? kept;
  if (failure && !form) return h(Trouble, { failure });
  if (!form) return h(Skeleton, { lines: 6 });
  const groups = new Map(/** @type {[string, FormFieldInfo[]][]} */ ([]));
  for (const field of form.fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
  return [
    el("div.head", null, el("h2", null, form.kind), el("span.space"),
      form.url ? el("a", { href: form.url, target: "_blank", rel: "noopener" }, say("app.build.docs")) : null,
      form.implicit ? null : el("button.quiet", { onClick: () => void remove({ object }), "aria-label": say("app.build.delete", { name: form.name }), title: say("app.build.delete", { name: form.name }) }, icon("close"))),
    form.note ? el("p.calm", null, form.note) : null,
    form.implicit
      ? el("button.btn.primary", { onClick: () => void edit("buildAdd", { kind: "Cohort", name: form.name }) }, say("app.build.make-cohort"))
      : textField({ label: say("app.build.name"), value: form.name, commit: (text) => void rename(object, text) }),
    form.hasQuota ? h(Quota, { form }) : null,
    ...[...groups].map(([group, fields]) =>
      el("fieldset", { key: group }, group ? el("legend", null, group) : null, ...fields.map((field) => h(Field, { key: field.path, object, field })))),
  ];
}

/** @param {{object: string, field: FormFieldInfo}} props */
function Field({ object, field }) {
  const commit = (/** @type {string} */ value) => void edit("buildField", { object, field: field.path, value });
  const { form, label, value, choices } = field;
  return el("div.field", null,
    form === "choice" ? selectField({ label, value, choices, commit })
      : form === "checks" ? h(Checks, { label, value, choices, commit })
      : textField({ label, value, commit }),
    field.wrong ? el("p.wrong-text", null, field.wrong) : null,
    el("p.note", null, field.meaning));
}

/** @param {{label: string, value: string, choices: readonly string[], commit: (text: string) => void}} props */
function Checks({ label, value, choices, commit }) {
  const named = value.split(", ").filter(Boolean);
  if (!choices.length) return el("div.control", null, el("span", null, label), el("span.calm", null, say("app.build.no-checks")));
  return el("div.control", { role: "group", "aria-label": label }, el("span", null, label), ...choices.map((each) =>
    el("label.tick", { key: each }, el("input", { type: "checkbox", checked: named.includes(each), onChange: (/** @type {any} */ event) => commit((event.target.checked ? [...named, each] : named.filter((name) => name !== each)).join(", ")) }), each)));
}

/** @param {{form: DraftForm}} props */
function Quota({ form }) {
  const [flavor, setFlavor] = useState(form.flavors[0] ?? "");
  const [resource, setResource] = useState("cpu");
  const flavors = [...new Set(form.quotas.map((each) => each.flavor))];
  return el("fieldset.quota", null, el("legend", null, say("app.build.quota")),
    form.quotas.length ? el("div.quota-grid", { role: "group" },
      el("span"), ...QUOTA.map((name) => el("span.column", { key: name }, name)),
      ...form.quotas.flatMap((each, at) => [
        el("span.resource", { key: `${at} name` }, el("b", null, each.resource), el("small", null, each.flavor)),
        ...QUOTA.map((name) => textField({
          key: `${at} ${name}`, label: `${each.resource} ${each.flavor} ${name}`, value: each[name], small: true, placeholder: name === "nominalQuota" ? "" : "∞",
          commit: (value) => void edit("buildQuota", { object: form.object, flavor: each.flavor, resource: each.resource, field: name, value }),
        })),
      ])) : null,
    el("div.row", null,
      ...flavors.map((name) => el("button.link", { key: name, onClick: () => void edit("buildQuota", { object: form.object, flavor: name, remove: true }) }, say("app.build.quota.remove", { name })))),
    el("div.row.adding", null,
      selectField({ label: say("app.build.flavor"), value: flavor, choices: form.flavors, commit: setFlavor, unset: false }),
      textField({ label: say("app.build.resource"), value: resource, commit: setResource, list: ["cpu", "memory", "nvidia.com/gpu", "pods"] }),
      el("button.btn", { disabled: !flavor || !resource, onClick: () => void edit("buildQuota", { object: form.object, flavor: flavor || form.flavors[0], resource }) }, say("app.build.quota.add"))));
}

/** @param {{job: DraftJobInfo}} props */
function JobForm({ job }) {
  const { queues = [], priorityClasses = [] } = draft.value ?? {};
  const commit = (/** @type {Partial<import("./protocol.js").BuildJobCommand>} */ fields) =>
    void edit("buildJob", { ...fields, job: job.job }).then((found) => { if (found?.chosen) choose(`job:${found.chosen}`); });
  const gone = () => { choose(""); void edit("buildDeleteJob", { job: job.job }); };
  return [
    el("div.head", null, el("h2", null, say("app.build.job")), el("span.space"),
      el("button.quiet", { onClick: gone, "aria-label": say("app.build.delete", { name: job.job }), title: say("app.build.delete", { name: job.job }) }, icon("close"))),
    el("p.calm", null, job.text),
    job.plain ? el("div.job-fields", null,
      textField({ label: say("app.build.name"), value: job.job, commit: (name) => commit({ name }) }),
      selectField({ label: say("app.build.job.queue"), value: job.queue, choices: queues, commit: (queue) => commit({ queue }), unset: false }),
      textField({ label: say("app.build.job.requests"), value: job.requests, placeholder: "cpu: 4, memory: 8Gi", commit: (requests) => commit({ requests }) }),
      textField({ label: say("app.build.job.pods"), value: job.pods, commit: (pods) => commit({ pods }) }),
      textField({ label: say("app.build.job.at"), value: job.at, placeholder: "30s", commit: (at) => commit({ at }) }),
      textField({ label: say("app.build.job.runs"), value: job.runs, placeholder: say("app.build.job.runs.open"), commit: (runs) => commit({ runs }) }),
      priorityClasses.length ? selectField({ label: say("app.build.job.class"), value: job.priorityClass, choices: priorityClasses, commit: (priorityClass) => commit({ priorityClass }) }) : null,
      job.priorityClass ? null : textField({ label: say("app.build.job.priority"), value: job.priority, placeholder: "0", commit: (priority) => commit({ priority }) }),
      draft.value?.pools.length ? selectField({ label: say("app.build.job.topology"), value: job.placement, choices: PLACEMENTS, commit: (placement) => commit({ placement }) }) : null,
      job.placement && job.placement !== "unconstrained" ? textField({ label: say("app.build.job.level"), value: job.level, list: ["block", "rack", "host"], commit: (level) => commit({ level }) }) : null)
      : el("p.calm", null, say("app.build.job.not-plain")),
  ];
}

/** Nodes in short form, for scheduling by topology. */
function Nodes() {
  const { pools = [], poolFields = [] } = draft.value ?? {};
  return [
    el("div.head", null, el("h2", null, say("app.build.nodes"))),
    el("p.calm", null, say("app.build.nodes.about")),
    ...pools.map((pool, number) => el("fieldset", { key: number }, el("legend", null, pool.values.name || say("app.build.nodes.pool", { number: number + 1 })),
      el("div.pool", null, ...poolFields.map((field) => textField({ key: field, label: field, value: pool.values[field] ?? "", commit: (value) => void edit("buildPool", { number, field, value }) }))),
      el("button.link", { onClick: () => void edit("buildDeletePool", { number }) }, say("app.build.nodes.remove")))),
    el("button.btn", { onClick: () => void edit("buildPool", {}) }, say("app.build.nodes.add")),
  ];
}
