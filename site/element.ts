// Parts of an HTML tree.
import type { Element, ElementContent, Properties } from "hast";

export function element(tagName: string, properties: Properties, children: ElementContent[]): Element {
	return { type: "element", tagName, properties, children };
}

export function text(value: string): ElementContent {
	return { type: "text", value };
}
