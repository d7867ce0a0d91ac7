// Turns Mermaid fences into SVG during the build, so that the browser loads no renderer and the colours follow the theme.
import { createHash } from "node:crypto";
import { renderMermaidSVG } from "beautiful-mermaid";
import { defineMdastPlugin } from "satteri";

export const diagrams = defineMdastPlugin({
	name: "diagrams",
	code(node) {
		if (node.lang !== "mermaid") return undefined;
		const html = `<figure class="diagram" tabindex="0">${drawDiagram(node.value)}</figure>`;
		return {
			type: "mdxJsxFlowElement",
			name: "Fragment",
			attributes: [{ type: "mdxJsxAttribute", name: "set:html", value: html }],
			children: [],
		};
	},
});

/**
 * The diagram with classes only. The renderer's own style element asks another host for a font, and ids would be on a page twice.
 *
 * @throws Error when the source is not a diagram.
 */
export function drawDiagram(source: string): string {
	const id = createHash("sha256").update(source).digest("hex").slice(0, 8);
	const svg = renderMermaidSVG(source, { padding: 12, nodeSpacing: 20, layerSpacing: 28 });
	const width = Math.ceil(Number(/ width="([\d.]+)"/.exec(svg)?.[1]));
	return svg
		.replace(/<style>[\s\S]*?<\/style>/g, "")
		.replace(
			/^<svg([^>]*?) style="[^"]*"/,
			`<svg$1 role="img" aria-label="${describeDiagram(source)}" style="min-width:min(${width}px,38rem)"`,
		)
		.replaceAll(/(id="|url\(#)([\w-]+)/g, `$1d${id}-$2`)
		.replaceAll(/\sdata-[\w-]+="[^"]*"/g, "")
		.replaceAll(/\n\s*/g, "");
}

/** Returns the source's lines, which read almost as sentences, for people who cannot see the picture. */
function describeDiagram(source: string): string {
	const lines = source
		.split("\n")
		.slice(1)
		.map((line) => line.trim());
	const text = lines.filter((line) => line !== "" && !line.startsWith("%%")).join("; ");
	return `Diagram: ${text}`.replace(/<br\s*\/?>/g, " ").replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
