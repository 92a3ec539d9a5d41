/** The shapes of each icon: an element of SVG, and its attributes. */
export const LUCIDE: Record<string, [tag: string, props: Record<string, string>][] | undefined>;
