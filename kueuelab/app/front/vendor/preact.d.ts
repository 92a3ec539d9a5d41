// What the app uses of preact; see preact's own declarations for the rest.
export type VNode = { type: unknown; props: Record<string, any>; key: unknown };
export type Child = VNode | string | number | boolean | null | undefined | Child[];
export function h(type: any, props: Record<string, any> | null, ...children: Child[]): VNode;
export function render(node: Child, place: Element): void;
export const Fragment: (props: { children?: Child }) => VNode;
