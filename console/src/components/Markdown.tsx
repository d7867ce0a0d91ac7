// Shows Markdown from users. HTML in it is shown as text, the result is sanitised, and images become links.
import { lazy, Suspense } from "react";

const Renderer = lazy(async () => ({ default: (await import("./MarkdownRenderer.tsx")).MarkdownRenderer }));

/** Renders Markdown safely. The parser is loaded with the first text. */
export function Markdown({ text }: { readonly text: string }) {
	return (
		<Suspense fallback={<div className="markdown markdown-waiting">{text}</div>}>
			<Renderer text={text} />
		</Suspense>
	);
}
