// Types of the frame documents that the modules draw: see docs/frames.md.

/** Says a message of the document's table; defined by messages/say.js, which is joined first. */
declare function speaker(table: Words): Say;

type Say = (id: string, values?: Record<string, string | number>) => string;
type Words = { language: string; messages: Record<string, string | Record<string, string>> };
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Tree = { [key: string]: Json };
type Deltas = number[];

interface TreeNode {
  kind: string;
  name: string;
  parent: string;
  order: number;
  depth: number;
  strategy?: string;
  policies?: Record<string, string>;
  cluster?: string;
}
interface Bar {
  node: string;
  flavor: string;
  resource: string;
  order: number;
  nominal: number;
  used: number;
  /** What a cycle reserves for workloads that wait for it. */
  reserved?: number;
  borrowed?: number;
  lends?: number;
  /** Whether several lend: `lends` is the most that it can be. */
  upTo?: boolean;
  borrowingLimit?: number;
  lendingLimit?: number;
  text?: string;
}
interface Chip {
  bar?: string;
  queue?: string;
  workload: string;
  order?: number;
  since?: number;
  place?: string;
  why?: string;
  reserved?: boolean;
  /** What is reserved is not there yet. */
  waits?: boolean;
  amount?: number;
  asks?: Record<string, number>;
  priority?: number;
  phase?: string;
  role?: string;
  hollow?: boolean;
  count?: number;
  /** The elastic job, or the workload that has variants, whose workloads are its parts. */
  group?: string;
  kind?: "slice" | "variant";
  parts?: Record<string, Part>;
  /** What a slice needs beyond what the slice holds that it is to replace. */
  adds?: Record<string, number>;
}
/** A slice or a variant in the chip of its group. */
interface Part {
  amount?: number;
  asks?: Record<string, number>;
  adds?: Record<string, number>;
  hollow?: boolean;
  reserved?: boolean;
  role?: string;
  phase?: string;
  place?: string;
  why?: string;
  flavor?: string;
  replaces?: string;
  outcome?: "won" | "lost" | "waits" | "migrates" | "finished";
}
interface Arrow {
  from: string;
  to: string;
  amount: number;
}
interface Candidate {
  rank: number;
  workload: string;
  queue: string;
  verdict: string;
  role?: string;
  why: string;
  step: number;
}
interface Queue {
  admitted: number;
  pending: number;
  first?: string;
  inactive?: boolean;
}
interface Frame {
  at: { step: number; cycle: number; time: string; ms?: number };
  kind: string;
  title: string;
  sentence: string;
  message?: string;
  difference?: string;
  findings?: Record<string, string>;
  workload?: string;
  cluster?: string;
  numbers?: Record<string, [string, string]>;
  numbersOf?: string;
  /** Sentences, a line each; without it the step changes nothing. */
  changed?: string;
  tree?: Record<string, TreeNode>;
  bars?: Record<string, Bar>;
  chips?: Record<string, Chip>;
  arrows?: Record<string, Arrow>;
  candidates?: Record<string, Candidate>;
  queues?: Record<string, Queue>;
}
interface Table {
  members: string[][];
  rows: Json[];
}
interface Chunk {
  first: number;
  key: Tree;
  /** The parts of the key frame that are objects by key, where a page or notebook keeps them. */
  tables?: Record<string, Table>;
  patches: Tree[];
}
interface WhySection {
  title: string;
  lines: { text: string; step?: number }[];
}
interface Why {
  title: string;
  sections: WhySection[];
}
interface RunIndex {
  moves?: Record<string, Deltas>;
  events?: Record<string, Deltas>;
  workloads?: Record<string, Deltas>;
  queues?: Record<string, Deltas>;
  times?: [number, string][];
}
interface FrameDocument {
  format: string;
  version: number;
  kueueVersion: string;
  name: string;
  title: string;
  description?: string;
  longest?: string;
  language: string;
  words: Words;
  view: string;
  steps: number;
  start: number;
  selected?: Selected;
  chunk: number;
  /** Those that are not shown first are packed where a page or notebook keeps them. */
  chunks: Record<string, Chunk | string>;
  /** How many nodes have a kind and the same bars: [count, kind, [flavor, resource][]]. */
  rows?: [number, string, [string, string][]][];
  index?: RunIndex;
  /** How many there are. */
  cycles?: number;
  /** What fills the width of a bar, by resource. */
  scales?: Record<string, number>;
  marks?: [number, string][];
  /** The step of the first preemption. */
  preemption?: number;
  workloads?: string[];
  priorities?: number[];
  /** Packed where a page keeps them. */
  whys?: Whys | string;
}
interface Whys {
  texts: string[];
  of: Record<string, [number, PooledWhy][]>;
}
/** An explanation with numbers of texts: the title, then each section with its title and lines. */
type PooledWhy = [number, [number, [number, number?][]][]];

/** What is selected: kind, name, and the cluster where there are several. */
interface Selected {
  kind: string;
  name: string;
  cluster?: string;
}

/** What a step of the store changed: the patches since the last frame, or null for anything. */
type Change = { patches: Tree[] | null; moved: boolean };

/** A part of a view. */
interface Panel {
  element: HTMLElement;
  show(frame: Frame, change: Change): void;
  selected?(selected: Selected | null): void;
}

/** Asks the kernel; rejected where there is none. */
type Ask = (question: Record<string, Json>) => Promise<any>;
