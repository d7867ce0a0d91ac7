// Shows Markdown of users. HTML in it stays text, what remains is sanitised, and images of other hosts become links.
import { lazy, Suspense } from "react";

const Renderer = lazy(async () => ({ default: (await import("./MarkdownRenderer.tsx")).MarkdownRenderer }));

/** Renders Markdown safely. Its parser is loaded with the first text. */
export function Markdown({ text }: { readonly text: string }) {
	return (
		<Suspense fallback={<div className="markdown markdown-waiting">{text}</div>}>
			<Renderer text={text} />
		</Suspense>
	);
}
