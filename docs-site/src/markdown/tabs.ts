// Turns consecutive fences for several languages into tabs. The Markdown stays plain; the languages' names are their titles.
import type { Code } from "mdast";
import { defineMdastPlugin, type MdxJsxFlowElement } from "satteri";

const LANGUAGES = ["curl", "TypeScript", "Python", "SDK", "CLI"];
/** Tabs with one key show the same language everywhere, and keep it for the reader's next page. */
const SYNC_KEY = "language";
const IMPORT = 'import { TabItem, Tabs } from "docs-site-tabs";';

interface LabelledCode {
	readonly label: string;
	readonly code: Readonly<Code>;
}

export const tabs = defineMdastPlugin({
	name: "tabs",
	before(root, ctx) {
		let hasTabs = false;
		for (const run of runsOf(root.children)) {
			if (run.length < 2) continue;
			hasTabs = true;
			const [first, ...others] = run;
			if (first === undefined) continue;
			ctx.replaceNode(first.code, element("Tabs", { syncKey: SYNC_KEY }, run.map(panel)));
			for (const { code } of others) ctx.removeNode(code);
		}
		if (hasTabs) ctx.prependChild(root, { raw: IMPORT });
	},
});

function runsOf(nodes: readonly { type: string }[]): LabelledCode[][] {
	const runs: LabelledCode[][] = [[]];
	for (const node of nodes) {
		const label = isCode(node) ? /(?:^|\s)title="([^"]+)"/.exec(node.meta ?? "")?.[1] : undefined;
		if (isCode(node) && label !== undefined && LANGUAGES.includes(label)) runs.at(-1)?.push({ label, code: node });
		else if (runs.at(-1)?.length !== 0) runs.push([]);
	}
	return runs;
}

function isCode(node: { type: string }): node is Code {
	return node.type === "code";
}

function panel({ label, code: { lang = null, value, meta } }: LabelledCode): MdxJsxFlowElement {
	const rest = (meta ?? "").replace(/(?:^|\s)title="[^"]*"/, "");
	return element("TabItem", { label }, [{ type: "code", lang, meta: rest, value }]);
}

function element(name: string, attributes: Readonly<Record<string, string>>, children: MdxJsxFlowElement["children"]): MdxJsxFlowElement {
	return {
		type: "mdxJsxFlowElement",
		name,
		attributes: Object.entries(attributes).map(([key, value]) => ({ type: "mdxJsxAttribute", name: key, value })),
		children,
	};
}
