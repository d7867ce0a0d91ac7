import { expect, it, vi } from "vitest";
import { Markdown } from "../../../../src/extensions/pages/markdown.tsx";

const parsed = vi.hoisted(() => ({ texts: 0 }));
vi.mock("mdast-util-from-markdown", async (original) => {
	const real = await original<typeof import("mdast-util-from-markdown")>();
	return {
		fromMarkdown: (...parameters: Parameters<typeof real.fromMarkdown>) => {
			parsed.texts += 1;
			return real.fromMarkdown(...parameters);
		},
	};
});

it("converts a text once for any number of views of its page", () => {
	const shown = Array.from({ length: 5 }, () => String(Markdown({ text: "**bold** <b>raw</b>\n\n- item" })));
	const html = '<div class="markdown"><p><strong>bold</strong> &lt;b&gt;raw&lt;/b&gt;</p>\n<ul>\n<li>item</li>\n</ul></div>';
	expect(new Set(shown)).toEqual(new Set([html]));
	expect(parsed.texts).toBe(1);
	Markdown({ text: "another" });
	expect(parsed.texts).toBe(2);
});

it("caches a limited number of characters", () => {
	const before = parsed.texts;
	const texts = Array.from({ length: 6 }, (_, index) => `${index} ${"word ".repeat(20_000)}`);
	for (const text of texts) Markdown({ text });
	Markdown({ text: texts.at(-1) ?? "" });
	expect(parsed.texts - before).toBe(texts.length);
	Markdown({ text: texts[0] ?? "" });
	expect(parsed.texts - before).toBe(texts.length + 1);
});
