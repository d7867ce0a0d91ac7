// Turns links to this platform's own URLs into paths, so that they lead to the reader's origin.
import { defineMdastPlugin } from "satteri";

const BASE_URL = /^(?:\{base_url\}|%7Bbase_url%7D)(?=\/|$)/i;

export const ownLinks = defineMdastPlugin({
	name: "own-links",
	link(node, ctx) {
		if (BASE_URL.test(node.url)) ctx.setProperty(node, "url", node.url.replace(BASE_URL, "") || "/");
	},
});
