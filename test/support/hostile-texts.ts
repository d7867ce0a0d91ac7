// Lists users' texts that browsers would run or load if a page treated them as markup.

/** Texts that pages show unchanged, as titles, names and criteria. */
export const HOSTILE_TEXTS: readonly string[] = [
	"<script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	'"><svg onload=alert(1)>',
	"' onmouseover='alert(1)",
	"</title><script>alert(1)</script>",
	"<!--",
	"]]><script>",
	"&lt;script&gt;alert(1)&lt;/script&gt;",
	"javascript:alert(1)",
	"{{constructor.constructor('alert(1)')()}}",
];

/** Texts that pages show as Markdown. */
export const HOSTILE_MARKDOWN: readonly string[] = [
	"[x](javascript:alert(1))",
	"[x](JaVaScRiPt:alert(1))",
	"[x](java\tscript:alert(1))",
	"[x](data:text/html,<script>alert(1)</script>)",
	"[x](vbscript:alert(1))",
	"![x](https://evil.example/pixel.png)",
	"![x](javascript:alert(1))",
	"<javascript:alert(1)>",
	"[x]: javascript:alert(1)\n[x]",
	"<a href=javascript:alert(1)>x</a>",
	"<iframe srcdoc='<script>alert(1)</script>'></iframe>",
	"<style>*{display:none}</style>",
	"<math><mtext></mtext><script>alert(1)</script></math>",
	'[x](https://example.com "onmouseover=alert(1)")',
	'[x](https://example.com/"onmouseover="alert(1))',
	"```html\n<script>alert(1)</script>\n```",
	"# <script>alert(1)</script>",
	"[^1]\n\n[^1]: <script>alert(1)</script>",
	"- [x] <input autofocus onfocus=alert(1)>",
];
