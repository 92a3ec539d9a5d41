// What documents of several clusters, timelines, sequences and comparisons hold besides: docs/frames.md.

interface LaneChip {
  order: number;
  kind: string;
  mark: string;
  text: string;
  cluster: string;
}
interface LaneQueue {
  order: number;
  text: string;
  used: number;
  nominal: number;
  stopped?: boolean;
}
interface Lane {
  order: number;
  kind: "manager" | "worker" | "lost";
  role: string;
  statuses: Record<string, { ok: boolean; text: string }>;
  queues: Record<string, LaneQueue>;
  chips: Record<string, LaneChip>;
  more?: string;
  /** The faults that have buttons. */
  faults?: Record<string, string>;
}
interface JobRow {
  order: number;
  cluster: string;
  state: string;
  rounds?: Record<string, string>;
  /** The round that goes on: milliseconds since the start of the run, and how long it is. */
  clock?: { from: number; length?: number };
  check?: string;
  conditions?: string;
}
interface Frame {
  lanes?: Record<string, Lane>;
  jobs?: Record<string, JobRow>;
  notes?: Record<string, { kind: string; text: string }>;
  placements?: Record<string, Record<string, [string, string]>>;
}

interface SequenceData {
  workload: string;
  title: string;
  clusters: string[];
  messages: { step: number; at: string; source: string; target: string; text: string }[];
}
interface TimelineData {
  workloads: string[];
  hidden: number;
  /** Row, phase, from, to, first step. */
  phases: [number, string, number, number, number][];
  samples: {
    step: Deltas;
    ms: Deltas;
    pending: number[];
    admitted: number[];
    used: Record<string, number[]>;
  };
  end: number;
}
/** A chart of plotly with what it says as a table. */
interface ChartData {
  title: string;
  traces: object[];
  layout: object;
  columns: string[];
  rows: (string | number)[][];
  /** Of a sweep: the run that each row is about. */
  runs?: number[];
}
interface ComparisonTable {
  caption: string;
  columns: string[];
  rows: string[][];
}
interface ComparisonData {
  title: string;
  lines: string[];
  tables: ComparisonTable[];
}
interface FrameDocument {
  /** Events at which playing stops, whatever else is chosen. */
  stops?: string[];
  /** The first step of each instant, and its milliseconds since the start. */
  clock?: { step: Deltas; ms: Deltas };
  timeline?: TimelineData;
  sequences?: Record<string, SequenceData>;
  charts?: ChartData[];
  comparison?: ComparisonData;
  sides?: { before: FrameDocument; after: FrameDocument };
}
