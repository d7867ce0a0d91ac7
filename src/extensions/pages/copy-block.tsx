// A block of code with a copy button, which is hidden if scripts are off.

export function CopyBlock({ label, code }: { readonly label: string; readonly code: string }) {
	return (
		<div class="code">
			<div class="code-head">
				<span>{label}</span>
				<button type="button" class="copy">
					Copy
				</button>
			</div>
			<pre>
				<code>{code}</code>
			</pre>
		</div>
	);
}
