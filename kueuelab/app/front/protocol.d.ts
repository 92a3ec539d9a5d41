// Made of kueuelab/session/commands.py and answers.py by kueuelab/session/schema.py.

export interface HelloCommand {
}

export interface OpenCommand {
  source?: string;
  name?: string;
  text?: string;
  file?: string;
  decide?: boolean;
}

export interface DecideCommand {
  branch?: string;
}

export interface LoadCommand {
  branch?: string;
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
  priority?: string;
  flavor?: string;
  owner?: string;
  sort?: string;
  descending?: boolean;
  group?: string;
  start?: number;
  count?: number;
}

export interface WorkloadFiltersCommand {
  branch?: string;
}

export interface KubectlCommand {
  workloads: string[];
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
  more?: number[];
}

export interface TryCommand {
  workload: string;
  lever: number;
  branch?: string;
  more?: number[];
}

export interface ObjectsCommand {
  object?: string;
  branch?: string;
}

export interface EditCommand {
  object: string;
  values?: Record<string, any>;
  text?: string;
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
  rest?: boolean;
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

export interface BuildCommand {
}

export interface BuildBeginCommand {
  shape?: string;
  name?: string;
  text?: string;
  branch?: string;
}

export interface BuildTextCommand {
  text: string;
}

export interface BuildAddCommand {
  kind: string;
  parent?: string;
  name?: string;
}

export interface BuildRemoveCommand {
  object: string;
}

export interface BuildRenameCommand {
  object: string;
  name: string;
}

export interface BuildMoveCommand {
  object: string;
  parent?: string;
}

export interface BuildFieldCommand {
  object: string;
  field: string;
  value?: string;
}

export interface BuildQuotaCommand {
  object: string;
  flavor: string;
  resource?: string;
  field?: string;
  value?: string;
  remove?: boolean;
}

export interface BuildJobCommand {
  job?: string;
  name?: string | null;
  queue?: string | null;
  at?: string | null;
  runs?: string | null;
  pods?: string | null;
  requests?: string | null;
  priority?: string | null;
  priorityClass?: string | null;
  placement?: string | null;
  level?: string | null;
}

export interface BuildJobsCommand {
  jobs: number;
  name?: string;
  queue?: string;
  every?: string;
  runs?: string;
  pods?: string;
  requests?: string;
  seed?: number;
}

export interface BuildDeleteJobCommand {
  job: string;
}

export interface BuildPoolCommand {
  number?: number | null;
  field?: string;
  value?: string;
}

export interface BuildDeletePoolCommand {
  number: number;
}

export interface BuildFormCommand {
  object: string;
}

export interface BuildCompleteCommand {
  text: string;
  line: number;
  column: number;
}

export interface BuildRunCommand {
}

export interface BuildSaveCommand {
  file: string;
}

export interface BuildExportCommand {
  kind: string;
}

export interface FormOfCommand {
  workload?: string;
  branch?: string;
}

export interface JobForm {
  name: string;
  queue: string;
  pods: number;
  requests: Record<string, any>;
  priority: number;
  runs: string;
}

export interface TryJobCommand {
  text?: string;
  form?: JobForm | null;
  workload?: string;
  at?: string;
  runs?: string;
  now?: boolean;
  branch?: string;
}

export interface KeepJobCommand {
  text?: string;
  form?: JobForm | null;
  workload?: string;
  at?: string;
  job?: number;
  change?: number;
  branch?: string;
}

export interface SettingsCommand {
  language?: string | null;
  release?: string | null;
}

export interface LinkCommand {
  branch?: string;
}

export interface OpenLinkCommand {
  link: string;
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

export interface QuotasCommand {
  workload: string;
  branch?: string;
}

export interface QuotaSetting {
  object: string;
  field: string;
  value: string | null;
}

export interface TryQuotasCommand {
  workload: string;
  settings: QuotaSetting[];
  branch?: string;
}

export interface KeepQuotasCommand {
  workload: string;
  settings: QuotaSetting[];
  branch?: string;
}

export interface CapacityCommand {
  branch?: string;
}

export interface SweepDesign {
  quota: string;
  amounts: string[];
  rates: number[];
  jobs: number;
  runs: string;
  request: string;
}

export interface PlanOfCommand {
  sweep: SweepDesign;
  branch?: string;
}

export interface CapacityCellCommand {
  sweep: SweepDesign;
  cell: number;
  branch?: string;
}

export interface TopologyCommand {
  branch?: string;
  step?: number | null;
  flavor?: string;
  resource?: string;
}

export interface PreviewCommand {
  name: string;
}

export interface ListDraftsCommand {
}

export interface ResumeDraftCommand {
  file: string;
  text?: string;
}

export interface DiscardDraftCommand {
  file: string;
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
  topologies: boolean;
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
  release: string;
  at: number | null;
  source: string;
  stage: string;
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
  contexts: string[];
  opened: Opened;
  languages: string[];
  releases: string[];
  release: string;
}

export interface Facet {
  id: string;
  label: string;
  count: number;
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

export interface EvictionInfo {
  text: string;
  detail: string;
  step: number;
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
  phases: Facet[];
  figures: Figure[];
  resources: string[];
  resource: string;
  quota: QuotaRow[];
  moreQuota: number;
  pending: number;
  causes: CauseGroup[];
  evictions: EvictionInfo[];
  moreEvictions: number;
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
  flavor: string;
  owner: string;
  why: string;
}

export interface WorkloadPage {
  sentence: string;
  found: number;
  total: number;
  start: number;
  rows: WorkloadRow[];
  phases: Facet[];
  cause: string;
  groups: Facet[];
}

export interface Filter {
  id: string;
  label: string;
  values: Facet[];
  more: number;
}

export interface Filters {
  filters: Filter[];
}

export interface KubectlText {
  text: string;
}

export interface HistoryEvent {
  time: string;
  what: string;
  text: string;
  step: number;
}

export interface AvailableShare {
  kind: string;
  name: string;
  amount: Amount;
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
  shares: AvailableShare[];
  whose: string;
}

export interface GroupMember {
  workload: string;
  name: string;
  tone: string;
  state: string;
  about: string;
  isShown: boolean;
}

export interface WorkloadGroup {
  kind: string;
  group: string;
  title: string;
  members: GroupMember[];
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
  devices: string;
  group: WorkloadGroup | null;
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
  end: string;
}

export interface ObjectText {
  objects: string[];
  object: string;
  text: string;
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

export interface FigurePair {
  figure: string;
  title: string;
  before: string;
  after: string;
  valueBefore: number;
  valueAfter: number;
}

export interface QueueFigures {
  name: string;
  kind: string;
  depth: number;
  figures: FigurePair[];
}

export interface Comparison {
  sentence: string;
  first: string[];
  stepBefore: number | null;
  stepAfter: number | null;
  workloads: WorkloadChange[];
  moreWorkloads: number;
  queues: string[];
  figures: QueueFigures[];
  moreFigures: number;
}

export interface PatchText {
  name: string;
  text: string;
  objects: number;
  check: string;
  gives: boolean;
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
  fixed: string[];
  brought: string[];
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

export interface LinkText {
  source: string;
  link: string;
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

export interface PreviewRow {
  kind: string;
  name: string;
  depth: number;
  nominal: number;
  own: number;
  borrowed: number;
  lent: number;
  evicted: number;
  pending: number;
}

export interface ExamplePreview {
  name: string;
  caption: string;
  evicts: boolean;
  rows: PreviewRow[];
  more: number;
}

export interface KeptDraft {
  file: string;
  name: string;
  about: string;
  time: number;
}

export interface KeptDrafts {
  drafts: KeptDraft[];
}

export interface ShapeInfo {
  name: string;
  title: string;
  about: string;
}

export interface DraftRow {
  object: string;
  kind: string;
  name: string;
  level: number;
  implicit: boolean;
  wrong: string;
}

export interface DraftJobInfo {
  job: string;
  queue: string;
  at: string;
  runs: string;
  pods: string;
  requests: string;
  priority: string;
  priorityClass: string;
  placement: string;
  level: string;
  atSeconds: number | null;
  runsSeconds: number | null;
  plain: boolean;
  text: string;
}

export interface DraftPool {
  values: Record<string, any>;
}

export interface Trouble {
  message: string;
  object: string;
  field: string;
  hint: string;
  place: Place | null;
}

export interface DraftPage {
  name: string;
  branch: string;
  text: string;
  chosen: string;
  shapes: ShapeInfo[];
  kinds: string[];
  rows: DraftRow[];
  jobs: DraftJobInfo[];
  queues: string[];
  priorityClasses: string[];
  pools: DraftPool[];
  poolFields: string[];
  problems: Trouble[];
  moreProblems: number;
  about: string;
  file: string;
  kept: string;
  opened: Opened;
}

export interface QuotaInfo {
  flavor: string;
  resource: string;
  nominalQuota: string;
  borrowingLimit: string;
  lendingLimit: string;
}

export interface FormFieldInfo {
  path: string;
  group: string;
  label: string;
  form: string;
  value: string;
  choices: string[];
  meaning: string;
  url: string;
  wrong: string;
}

export interface DraftForm {
  object: string;
  kind: string;
  name: string;
  url: string;
  implicit: boolean;
  note: string;
  hasQuota: boolean;
  quotas: QuotaInfo[];
  flavors: string[];
  fields: FormFieldInfo[];
}

export interface Choice {
  text: string;
  kind: string;
  detail: string;
  info: string;
}

export interface Completions {
  column: number;
  choices: Choice[];
}

export interface LaneSpan {
  kind: string;
  start: number;
  end: number;
}

export interface JobLane {
  job: string;
  workload: string;
  tone: string;
  text: string;
  spans: LaneSpan[];
}

export interface DraftRun {
  branch: string;
  sentence: string;
  decisions: HistoryEvent[];
  moreDecisions: number;
  lanes: JobLane[];
  seconds: number;
  step: number | null;
  opened: Opened;
}

export interface SavedFile {
  file: string;
  note: string;
}

export interface ExportedFile {
  name: string;
  text: string;
}

export interface ExportedFiles {
  files: ExportedFile[];
}

export interface TrialForm {
  form: JobForm | null;
  text: string;
  queues: string[];
  resources: string[];
  moment: string;
  note: string;
}

export interface Start {
  percent: number;
  seconds: number | null;
  text: string;
}

export interface When {
  sentence: string;
  basis: string[];
  starts: Start[];
  unknown: boolean;
}

export interface Alternative {
  number: number;
  text: string;
  cost: string;
  atOnce: boolean;
  evicts: string[];
  changes: string[];
}

export interface TriedJob {
  workload: string;
  name: string;
  about: string;
  outcome: string;
  outcomeText: string;
  tone: string;
  now: string[];
  when: When | null;
  instead: Alternative[];
  insteadNote: string;
}

export interface JobTrial {
  verdict: string;
  text: string;
  moment: string;
  jobs: TriedJob[];
  problems: Trouble[];
  others: CostPart[];
  notes: string[];
  whole: boolean;
}

export interface QuotaSlider {
  object: string;
  field: string;
  kind: string;
  name: string;
  label: string;
  own: boolean;
  stops: Amount[];
  at: number;
}

export interface QuotaBar {
  name: string;
  flavor: string;
  resource: string;
  nominal: Amount;
  own: Amount;
  borrowed: Amount;
  text: string;
}

export interface QuotaOutcome {
  sentence: string;
  tone: string;
  bars: QuotaBar[];
  parts: CostPart[];
  note: string;
}

export interface QuotaSliders {
  sliders: QuotaSlider[];
  note: string;
  outcome: QuotaOutcome;
}

export interface SweptQuota {
  id: string;
  label: string;
  resource: string;
  design: SweepDesign;
}

export interface MeasureInfo {
  id: string;
  label: string;
  less: boolean;
}

export interface CapacityForm {
  quotas: SweptQuota[];
  measures: MeasureInfo[];
  note: string;
}

export interface CapacityPlan {
  columns: string[];
  rows: string[];
  small: boolean;
  sentence: string;
  command: string;
  model: string;
}

export interface CellMeasure {
  id: string;
  value: number | null;
  text: string;
}

export interface CellFound {
  cell: number;
  about: string;
  measures: CellMeasure[];
  error: string;
  front: Record<string, any>;
}

export interface Failure {
  message: string;
  problems: Trouble[];
  more: number;
}

export interface Working {
  text: string;
  done: number;
  total: number;
}

/** The fields of each command. */
export interface Commands {
  hello: HelloCommand;
  open: OpenCommand;
  decide: DecideCommand;
  load: LoadCommand;
  overview: OverviewCommand;
  lint: LintCommand;
  pending: PendingCommand;
  workloads: WorkloadsCommand;
  workloadFilters: WorkloadFiltersCommand;
  kubectl: KubectlCommand;
  workload: WorkloadCommand;
  why: WhyCommand;
  levers: LeversCommand;
  cost: CostCommand;
  try: TryCommand;
  objects: ObjectsCommand;
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
  build: BuildCommand;
  buildBegin: BuildBeginCommand;
  buildText: BuildTextCommand;
  buildAdd: BuildAddCommand;
  buildRemove: BuildRemoveCommand;
  buildRename: BuildRenameCommand;
  buildMove: BuildMoveCommand;
  buildField: BuildFieldCommand;
  buildQuota: BuildQuotaCommand;
  buildJob: BuildJobCommand;
  buildJobs: BuildJobsCommand;
  buildDeleteJob: BuildDeleteJobCommand;
  buildPool: BuildPoolCommand;
  buildDeletePool: BuildDeletePoolCommand;
  buildForm: BuildFormCommand;
  buildComplete: BuildCompleteCommand;
  buildRun: BuildRunCommand;
  buildSave: BuildSaveCommand;
  buildExport: BuildExportCommand;
  jobForm: FormOfCommand;
  tryJob: TryJobCommand;
  keepJob: KeepJobCommand;
  settings: SettingsCommand;
  link: LinkCommand;
  openLink: OpenLinkCommand;
  exercises: ExercisesCommand;
  exercise: OpenExerciseCommand;
  exerciseCheck: CheckAnswerCommand;
  exerciseHint: TakeHintCommand;
  exerciseReveal: RevealSolutionCommand;
  exerciseReset: ResetExerciseCommand;
  exerciseFrames: CaseFramesCommand;
  quotas: QuotasCommand;
  tryQuotas: TryQuotasCommand;
  keepQuotas: KeepQuotasCommand;
  capacity: CapacityCommand;
  capacityPlan: PlanOfCommand;
  capacityCell: CapacityCellCommand;
  topology: TopologyCommand;
  preview: PreviewCommand;
  drafts: ListDraftsCommand;
  draftResume: ResumeDraftCommand;
  draftDiscard: DiscardDraftCommand;
}

/** The answer to each command. */
export interface Answers {
  hello: Greeting;
  open: Opened;
  decide: Opened;
  load: Opened;
  overview: OverviewData;
  lint: LintPage;
  pending: Causes;
  workloads: WorkloadPage;
  workloadFilters: Filters;
  kubectl: KubectlText;
  workload: WorkloadDetails;
  why: Explained;
  levers: LeversFound;
  cost: LeverCost;
  try: Opened;
  objects: ObjectText;
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
  settings: Greeting;
  link: LinkText;
  openLink: Opened;
  exercises: ExercisesFound;
  exercise: ExerciseFound;
  exerciseCheck: CheckedAnswer;
  exerciseHint: ExerciseFound;
  exerciseReveal: SolutionText;
  exerciseReset: ExerciseFound;
  exerciseFrames: FramesData;
  topology: TopologyFound;
  preview: ExamplePreview;
  drafts: KeptDrafts;
  draftDiscard: KeptDrafts;
  build: DraftPage;
  buildBegin: DraftPage;
  draftResume: DraftPage;
  buildText: DraftPage;
  buildAdd: DraftPage;
  buildRemove: DraftPage;
  buildRename: DraftPage;
  buildMove: DraftPage;
  buildField: DraftPage;
  buildQuota: DraftPage;
  buildJob: DraftPage;
  buildJobs: DraftPage;
  buildDeleteJob: DraftPage;
  buildPool: DraftPage;
  buildDeletePool: DraftPage;
  buildForm: DraftForm;
  buildComplete: Completions;
  buildRun: DraftRun;
  buildSave: SavedFile;
  buildExport: ExportedFiles;
  jobForm: TrialForm;
  tryJob: JobTrial;
  keepJob: Opened;
  quotas: QuotaSliders;
  tryQuotas: QuotaOutcome;
  keepQuotas: Opened;
  capacity: CapacityForm;
  capacityPlan: CapacityPlan;
  capacityCell: CellFound;
}
