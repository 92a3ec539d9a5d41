// Made of kueuelab/session/commands.py and answers.py by kueuelab/session/schema.py.

export interface HelloCommand {
}

export interface OpenCommand {
  source?: string;
  name?: string;
  text?: string;
}

export interface OverviewCommand {
  branch?: string;
  resource?: string;
}

export interface LintCommand {
  branch?: string;
  start?: number;
  count?: number;
}

export interface PendingCommand {
  branch?: string;
}

export interface WorkloadsCommand {
  branch?: string;
  search?: string;
  phase?: string;
  queue?: string;
  cause?: string;
  sort?: string;
  descending?: boolean;
  start?: number;
  count?: number;
}

export interface WorkloadCommand {
  workload: string;
  branch?: string;
}

export interface WhyCommand {
  workload: string;
  branch?: string;
  step?: number | null;
}

export interface LeversCommand {
  workload: string;
  branch?: string;
}

export interface CostCommand {
  workload: string;
  lever: number;
  branch?: string;
}

export interface TryCommand {
  workload: string;
  lever: number;
  branch?: string;
}

export interface EditCommand {
  object: string;
  values?: Record<string, any>;
  branch?: string;
}

export interface UndoCommand {
}

export interface RedoCommand {
}

export interface RunCommand {
  branch?: string;
  until?: number | null;
}

export interface FramesCommand {
  branch?: string;
  question?: Record<string, any>;
  step?: number | null;
  view?: string;
}

export interface CompareCommand {
  before: string;
  after: string;
}

export interface PatchOfCommand {
  before: string;
  after: string;
}

export interface UpgradeCommand {
  before?: string;
  after?: string;
  branch?: string;
}

export interface ClustersCommand {
  branch?: string;
}

export interface PlacementCommand {
  workload: string;
  branch?: string;
  step?: number | null;
}

export interface FaultsCommand {
  step: number;
  branch?: string;
  cluster?: string;
  workload?: string;
  elapsed?: number;
}

export interface AddFaultCommand {
  fault: string;
  step: number;
  branch?: string;
  cluster?: string;
  workload?: string;
  elapsed?: number;
}

export interface ExercisesCommand {
  progress?: string;
}

export interface OpenExerciseCommand {
  name: string;
  progress?: string;
}

export interface CheckAnswerCommand {
  name: string;
  text: string;
  progress?: string;
}

export interface TakeHintCommand {
  name: string;
  progress?: string;
}

export interface RevealSolutionCommand {
  name: string;
  progress?: string;
}

export interface ResetExerciseCommand {
  name: string;
  progress?: string;
}

export interface CaseFramesCommand {
  name: string;
  case: string;
  question?: Record<string, any>;
  step?: number | null;
}

export interface TopologyCommand {
  branch?: string;
  step?: number | null;
  flavor?: string;
  resource?: string;
}

export interface Example {
  name: string;
  group: string;
  groupTitle: string;
  title: string;
}

export interface ClusterInfo {
  name: string;
  branch: string;
  role: string;
  about: string;
  steps: number;
  workloads: number;
  pending: number;
}

export interface BranchInfo {
  name: string;
  parent: string;
  title: string;
  about: string;
  change: string;
  steps: number;
  workloads: number;
  pending: number;
  clusters: ClusterInfo[];
  topologies: boolean;
}

export interface Opened {
  branch: string;
  branches: BranchInfo[];
  note: string;
  undo: boolean;
  redo: boolean;
}

export interface Greeting {
  protocol: number;
  kueueVersion: string;
  language: string;
  words: Record<string, any>;
  examples: Example[];
  folder: boolean;
  opened: Opened;
}

export interface Figure {
  id: string;
  label: string;
  value: string;
  note: string;
  tone: string;
}

export interface Amount {
  value: number;
  text: string;
}

export interface QuotaRow {
  kind: string;
  name: string;
  depth: number;
  nominal: Amount;
  own: Amount;
  borrowed: Amount;
  lent: Amount;
  pending: number;
  text: string;
}

export interface CauseGroup {
  id: string;
  kind: string;
  count: number;
  title: string;
  detail: string;
  queue: string;
  workload: string;
  never: boolean;
}

export interface FindingInfo {
  kind: string;
  label: string;
  text: string;
  detail: string;
  object: string;
  step: number | null;
}

export interface OverviewData {
  sentence: string;
  figures: Figure[];
  resources: string[];
  resource: string;
  quota: QuotaRow[];
  moreQuota: number;
  pending: number;
  causes: CauseGroup[];
  findings: FindingInfo[];
  moreFindings: number;
}

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface LintFinding {
  rule: string;
  name: string;
  tone: string;
  level: string;
  text: string;
  why: string;
  fix: string;
  object: string;
  field: string;
  place: Place | null;
  workload: string;
  queue: string;
  manifest: string;
}

export interface LintPage {
  sentence: string;
  found: number;
  start: number;
  findings: LintFinding[];
}

export interface Causes {
  sentence: string;
  count: number;
  causes: CauseGroup[];
}

export interface WorkloadRow {
  workload: string;
  name: string;
  namespace: string;
  queue: string;
  phase: string;
  phaseText: string;
  position: number;
  age: string;
  priority: number;
  why: string;
}

export interface Facet {
  id: string;
  label: string;
  count: number;
}

export interface WorkloadPage {
  sentence: string;
  found: number;
  total: number;
  start: number;
  rows: WorkloadRow[];
  phases: Facet[];
  cause: string;
}

export interface HistoryEvent {
  time: string;
  what: string;
  text: string;
  step: number;
}

export interface Arithmetic {
  flavor: string;
  resource: string;
  requested: Amount;
  nominal: Amount;
  used: Amount;
  borrowed: Amount;
  available: Amount;
  potential: Amount;
  missing: Amount;
  fits: boolean;
  verdict: string;
  step: number;
}

export interface Verdict {
  about: string;
  verdict: string;
  text: string;
  step: number | null;
}

export interface WorkloadDetails {
  workload: string;
  name: string;
  namespace: string;
  queue: string;
  phase: string;
  phaseText: string;
  tone: string;
  about: string;
  sentence: string;
  detail: string;
  message: string;
  life: HistoryEvent[];
  arithmetic: Arithmetic[];
  arithmeticOf: string;
  candidates: Verdict[];
  moreCandidates: number;
  evicted: string;
  manifest: string;
}

export interface ExplainedSection {
  id: string;
  title: string;
  sentences: string[];
  steps: number[];
}

export interface Explained {
  workload: string;
  step: number;
  title: string;
  sections: ExplainedSection[];
}

export interface LeverInfo {
  number: number;
  kind: string;
  text: string;
  cost: string;
  evicts: string[];
  changes: string[];
  canTry: boolean;
}

export interface LeversFound {
  workload: string;
  obstacles: string[];
  levers: LeverInfo[];
  note: string;
}

export interface CostItem {
  workload: string;
  name: string;
  text: string;
}

export interface CostPart {
  kind: string;
  title: string;
  count: number;
  items: CostItem[];
}

export interface LeverCost {
  lever: number;
  parts: CostPart[];
  note: string;
}

export interface FramesData {
  data: Record<string, any>;
}

export interface WorkloadChange {
  workload: string;
  before: string;
  after: string;
  tone: string;
}

export interface Comparison {
  sentence: string;
  first: string[];
  stepBefore: number | null;
  stepAfter: number | null;
  workloads: WorkloadChange[];
  moreWorkloads: number;
  queues: string[];
}

export interface PatchText {
  name: string;
  text: string;
  objects: number;
}

export interface UpgradeFound {
  releases: string[];
  before: string;
  after: string;
  sentence: string;
  required: string[];
  objects: string[];
  gates: string[];
  first: string[];
  workloads: number;
  causes: string[];
}

export interface HazardInfo {
  id: string;
  workload: string;
  cluster: string;
  text: string;
  remedy: string;
}

export interface ClustersFound {
  sentence: string;
  clusters: ClusterInfo[];
  hazards: HazardInfo[];
  races: string[];
  leftOut: string[];
}

export interface ClusterLine {
  cluster: string;
  text: string;
}

export interface PlacementFound {
  workload: string;
  step: number;
  lines: ClusterLine[];
  hazards: HazardInfo[];
}

export interface FaultInfo {
  id: string;
  label: string;
  hint: string;
}

export interface FaultsFound {
  cluster: string;
  time: string;
  faults: FaultInfo[];
}

export interface ExerciseInfo {
  name: string;
  title: string;
  facts: string;
  state: string;
  stateText: string;
  missing: string[];
}

export interface ExerciseTopic {
  id: string;
  title: string;
  exercises: ExerciseInfo[];
}

export interface ExercisesFound {
  sentence: string;
  solved: number;
  count: number;
  next: ExerciseInfo | null;
  topics: ExerciseTopic[];
  progress: string;
}

export interface ExerciseFound {
  info: ExerciseInfo;
  goal: string[];
  answer: string;
  start: string;
  text: string;
  file: string;
  obstacle: string;
  hints: string[];
  moreHints: number;
  canReveal: boolean;
  progress: string;
}

export interface CheckedRule {
  text: string;
  tone: string;
  found: string[];
  step: number | null;
}

export interface CheckedCase {
  id: string;
  title: string;
  checks: CheckedRule[];
}

export interface CheckedAnswer {
  passed: boolean;
  sentence: string;
  note: string;
  cases: CheckedCase[];
  next: ExerciseInfo | null;
  progress: string;
}

export interface SolutionText {
  text: string;
  why: string;
  progress: string;
}

export interface DomainPods {
  workload: string;
  count: number;
}

export interface DomainRow {
  id: string;
  name: string;
  level: string;
  depth: number;
  hosts: number;
  used: number;
  outside: number;
  free: number;
  room: number;
  text: string;
  pods: DomainPods[];
  problem: string;
}

export interface PlacedWorkload {
  workload: string;
  state: string;
  stateText: string;
  tone: string;
  lines: string[];
  message: string;
  step: number | null;
}

export interface TopologyFound {
  sentence: string;
  step: number;
  flavors: string[];
  flavor: string;
  resources: string[];
  resource: string;
  domains: DomainRow[];
  more: number;
  workloads: PlacedWorkload[];
}

export interface Trouble {
  message: string;
  object: string;
  field: string;
  hint: string;
  place: Place | null;
}

export interface Failure {
  message: string;
  problems: Trouble[];
  more: number;
}

/** The fields of each command. */
export interface Commands {
  hello: HelloCommand;
  open: OpenCommand;
  overview: OverviewCommand;
  lint: LintCommand;
  pending: PendingCommand;
  workloads: WorkloadsCommand;
  workload: WorkloadCommand;
  why: WhyCommand;
  levers: LeversCommand;
  cost: CostCommand;
  try: TryCommand;
  edit: EditCommand;
  undo: UndoCommand;
  redo: RedoCommand;
  run: RunCommand;
  frames: FramesCommand;
  compare: CompareCommand;
  patch: PatchOfCommand;
  upgrade: UpgradeCommand;
  clusters: ClustersCommand;
  placement: PlacementCommand;
  faults: FaultsCommand;
  fault: AddFaultCommand;
  exercises: ExercisesCommand;
  exercise: OpenExerciseCommand;
  exerciseCheck: CheckAnswerCommand;
  exerciseHint: TakeHintCommand;
  exerciseReveal: RevealSolutionCommand;
  exerciseReset: ResetExerciseCommand;
  exerciseFrames: CaseFramesCommand;
  topology: TopologyCommand;
}

/** The answer to each command. */
export interface Answers {
  hello: Greeting;
  open: Opened;
  overview: OverviewData;
  lint: LintPage;
  pending: Causes;
  workloads: WorkloadPage;
  workload: WorkloadDetails;
  why: Explained;
  levers: LeversFound;
  cost: LeverCost;
  try: Opened;
  edit: Opened;
  undo: Opened;
  redo: Opened;
  run: Opened;
  frames: FramesData;
  compare: Comparison;
  patch: PatchText;
  upgrade: UpgradeFound;
  clusters: ClustersFound;
  placement: PlacementFound;
  faults: FaultsFound;
  fault: Opened;
  exercises: ExercisesFound;
  exercise: ExerciseFound;
  exerciseCheck: CheckedAnswer;
  exerciseHint: ExerciseFound;
  exerciseReveal: SolutionText;
  exerciseReset: ExerciseFound;
  exerciseFrames: FramesData;
  topology: TopologyFound;
}
