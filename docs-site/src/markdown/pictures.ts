// Shows a picture of the documentation in the colours of the page: next to `desk.webp` there is `desk-dark.webp`.
import { defineMdastPlugin } from "satteri";

/** All have this size, which `npm run pictures` gives them. The page keeps their place free by it. */
const SIZE = 'width="1120" height="700"';

export const pictures = defineMdastPlugin({
	name: "pictures",
	image(node) {
		const alt = (node.alt ?? "").replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
		const draw = (url: string, theme: string) =>
			`<img class="picture picture-${theme}" src="${url}" alt="${alt}" ${SIZE} loading="lazy" decoding="async">`;
		const html = draw(node.url, "light") + draw(node.url.replace(/\.webp$/, "-dark.webp"), "dark");
		return {
			type: "mdxJsxTextElement",
			name: "Fragment",
			attributes: [{ type: "mdxJsxAttribute", name: "set:html", value: html }],
			children: [],
		};
	},
});
