// What the app uses of CodeMirror 6; see its own declarations for the rest.
export type Text = { length: number; lines: number; toString(): string; lineAt(at: number): Line; line(number: number): Line };
export type Line = { from: number; to: number; number: number; text: string };
export type State = { doc: Text };
export type Context = { state: State; pos: number; explicit: boolean; aborted: boolean };
export type Completion = { label: string; type?: string; detail?: string; info?: string };
export type Extension = unknown;
export class EditorView {
  constructor(config: Record<string, any>);
  state: State;
  hasFocus: boolean;
  dispatch(change: any): void;
  focus(): void;
  destroy(): void;
  static updateListener: { of(listener: (update: any) => void): Extension };
  static contentAttributes: { of(attributes: Record<string, string>): Extension };
  static theme(rules: Record<string, any>): Extension;
  static lineWrapping: Extension;
  static scrollIntoView(at: number, options?: any): any;
}
export const EditorState: { create(config: any): any; tabSize: { of(size: number): Extension } };
export const HighlightStyle: { define(rules: any[]): any };
export const tags: Record<string, any>;
export const completionKeymap: any[];
export const defaultKeymap: any[];
export const historyKeymap: any[];
export const keymap: { of(keys: any[]): Extension };
export function autocompletion(config: any): Extension;
export function startCompletion(view: EditorView): boolean;
export function history(): Extension;
export function yaml(): Extension;
export function syntaxHighlighting(style: any): Extension;
export function lintGutter(): Extension;
export function setDiagnostics(state: State, found: any[]): any;
export function drawSelection(): Extension;
export function highlightActiveLine(): Extension;
export function lineNumbers(): Extension;
