// What documents of runs with topologies hold besides: docs/frames.md.

interface Host {
  room: Record<string, number>;
  outside?: Record<string, number>;
  problem?: string;
  closed?: boolean;
  nodes?: number;
}
interface PodPlace {
  workload: string;
  podSet: string;
  flavor: string;
  each: Record<string, number>;
  on: Record<string, number>;
}
interface SeekingPods {
  workload: string;
  flavor: string;
  count: number;
  each: Record<string, number>;
  request?: string;
  level?: string;
  empty?: boolean;
}
interface JudgedDomain {
  domain: string;
  fits: number;
  given?: number;
  verdict: string;
}
interface Frame {
  topologies?: Record<string, { topology: string; order: number; levels: Record<string, string> }>;
  hosts?: Record<string, Host>;
  places?: Record<string, PodPlace>;
  seeking?: Record<string, SeekingPods>;
  judged?: Record<string, JudgedDomain>;
}
interface FrameDocument {
  /** Whether the run has topologies. */
  topologies?: boolean;
  /** Pods for which a search found no place, by workload and pod set. */
  lacking?: Record<string, Record<string, SeekingPods>>;
}
