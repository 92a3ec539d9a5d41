// Domains of a topology: what is free in each, what uses it, how many of the pods that look for a
// place fit in. Sums of hosts; a frame holds only the hosts.

export const HOSTNAME = "kubernetes.io/hostname";

/**
 * @typedef {Record<string, number>} Amounts
 * @typedef {object} Domain
 * @property {string} key flavor, "|", label values joined by ","; the flavor alone for the whole
 * @property {string} name
 * @property {number} level -1 for the whole
 * @property {Domain | null} parent
 * @property {Domain[]} children
 * @property {Amounts} room what its hosts can hold
 * @property {Amounts} free
 * @property {Amounts} outside what pods outside of Kueue use
 * @property {Amounts} lost what is unused on hosts that take no pods
 * @property {Map<string, {count: number, each: Amounts}>} pods by workload and pod set
 * @property {number} hosts
 * @property {string} problem of a host
 * @property {boolean} closed whether it takes no pods
 */

/**
 * @param {string} key
 * @param {string} name
 * @param {number} level
 * @param {Domain | null} parent
 * @returns {Domain}
 */
const domain = (key, name, level, parent) => ({
  key,
  name,
  level,
  parent,
  children: [],
  room: {},
  free: {},
  outside: {},
  lost: {},
  pods: new Map(),
  hosts: 0,
  problem: "",
  closed: false,
});

/** @param {Amounts} total @param {Amounts | undefined} amounts @param {number} [times] */
function add(total, amounts, times = 1) {
  for (const name in amounts) total[name] = (total[name] ?? 0) + amounts[name] * times;
}

/** The domains of one flavor at one step. */
export class DomainTree {
  /** @param {Frame} frame @param {string} flavor */
  constructor(frame, flavor) {
    const { levels = {}, topology = "" } = frame.topologies?.[flavor] ?? {};
    this.flavor = flavor;
    this.topology = topology;
    this.levels = Object.values(levels);
    this.byHost = this.levels[this.levels.length - 1] === HOSTNAME;
    this.root = domain(flavor, flavor, -1, null);
    /** @type {Map<string, Domain>} */
    this.domains = new Map([[flavor, this.root]]);
    /** The hosts by their name in assignments. @type {Map<string, Domain>} */
    this.leaves = new Map();
    this.#read(frame);
    this.#sum(this.root);
  }

  /** @param {Frame} frame */
  #read(frame) {
    const start = `${this.flavor}|`;
    for (const [key, host] of Object.entries(frame.hosts ?? {})) {
      if (!key.startsWith(start)) continue;
      const values = key.slice(start.length).split(",");
      const leaf = this.#at(values);
      add(leaf.room, host.room);
      add(leaf.outside, host.outside);
      leaf.hosts = host.nodes ?? 1;
      leaf.problem = host.problem ?? "";
      leaf.closed = host.closed ?? false;
      this.leaves.set(this.byHost ? values[values.length - 1] : values.join(","), leaf);
    }
    for (const [key, place] of Object.entries(frame.places ?? {})) {
      if (place.flavor !== this.flavor && !this.byHost) continue;
      const each = { ...place.each, pods: 1 };
      for (const [name, count] of Object.entries(place.on))
        this.leaves.get(name)?.pods.set(key, { count, each });
    }
  }

  /** @param {string[]} values */
  #at(values) {
    let at = this.root;
    values.forEach((name, level) => {
      const key = `${this.flavor}|${values.slice(0, level + 1).join(",")}`;
      let next = this.domains.get(key);
      if (!next) {
        next = domain(key, name, level, at);
        at.children.push(next);
        this.domains.set(key, next);
      }
      at = next;
    });
    return at;
  }

  /** @param {Domain} at */
  #sum(at) {
    const isLeaf = !at.children.length;
    if (isLeaf && at !== this.root) {
      add(at.free, at.room);
      add(at.free, at.outside, -1);
      for (const { count, each } of at.pods.values()) add(at.free, each, -count);
      if (at.closed) {
        for (const name in at.room) at.lost[name] = Math.max(0, at.free[name] ?? 0);
        at.free = {};
      }
      return;
    }
    at.children.sort((one, other) => compare(one.name, other.name));
    for (const child of at.children) {
      this.#sum(child);
      for (const of of /** @type {const} */ (["room", "free", "outside", "lost"])) add(at[of], child[of]);
      at.hosts += child.hosts;
      for (const [key, { count, each }] of child.pods) {
        const known = at.pods.get(key);
        at.pods.set(key, { count: (known?.count ?? 0) + count, each });
      }
    }
  }

  /** The resources that hosts have, pods last. */
  get resources() {
    const names = Object.keys(this.root.room).filter((name) => name !== "pods");
    return [...names, ...("pods" in this.root.room ? ["pods"] : [])];
  }

  /** What a level is called: the end of its node label. @param {number} level */
  levelName(level) {
    const label = this.levels[level] ?? "";
    const end = label.slice(label.lastIndexOf("/") + 1);
    return label === HOSTNAME ? "host" : end.replace(/^topology-/, "");
  }
}

/** Names with numbers are in the order of the numbers. */
const { compare } = new Intl.Collator("en", { numeric: true });

/**
 * Returns how many pods fit into a domain, by what is free on its hosts.
 * @param {Domain} at
 * @param {Amounts} each what one pod requests
 * @returns {number}
 */
export function roomFor(at, each) {
  if (at.children.length) return at.children.reduce((sum, child) => sum + roomFor(child, each), 0);
  let most = at.closed ? 0 : (at.free.pods ?? Infinity);
  for (const name in each)
    if (each[name] > 0) most = Math.min(most, Math.floor(Math.max(0, at.free[name] ?? 0) / each[name]));
  return most === Infinity ? 0 : Math.max(0, most);
}
