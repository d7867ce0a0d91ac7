interface ProgressProps {
	readonly label: string;
	/** From 0 to `max`. Null while the amount left is unknown. */
	readonly value: number | null;
	readonly max?: number;
}

export function Progress({ label, value, max = 100 }: ProgressProps) {
	return (
		<label className="progress">
			{label}
			<progress {...(value === null ? {} : { value })} max={max} />
		</label>
	);
}

/** Shows that content is loading. It appears after a short delay, so that fast pages do not flicker. */
export function Loading({ label }: { readonly label: string }) {
	return (
		<div className="loading" role="status">
			{label}…
		</div>
	);
}
