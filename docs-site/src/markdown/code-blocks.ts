// The info line of a fence has a title for readers. The rest of the line is for the tests that run the samples.
import { defineMdastPlugin } from "satteri";

/** No grammar knows this character, so highlighting never splits `{base_url}`. The build puts the placeholder back. */
export const BASE_URL_MARK = "\uE000";

export const codeBlocks = defineMdastPlugin({
	name: "code-blocks",
	code(node, ctx) {
		const title = titleOf(node.meta ?? "");
		ctx.setProperty(node, "meta", title === null ? "" : `title="${title}"`);
		ctx.setProperty(node, "value", node.value.replaceAll("{base_url}", BASE_URL_MARK));
	},
	inlineCode(node, ctx) {
		if (node.value.includes("{base_url}")) ctx.setProperty(node, "value", node.value.replaceAll("{base_url}", BASE_URL_MARK));
	},
});

function titleOf(meta: string): string | null {
	const named = /(?:^|\s)(?:title|file)="?([^\s"]+)/.exec(meta)?.[1];
	return named ?? (/(?:^|\s)output(?:\s|$)/.test(meta) ? "Output" : null);
}
