interface ProgressProps {
	readonly label: string;
	/** It goes from 0 to `max`, and is null while the amount left is unknown. */
	readonly value: number | null;
	readonly max?: number;
}

/** Shows the progress of long work. */
export function Progress({ label, value, max = 100 }: ProgressProps) {
	return (
		<label className="progress">
			{label}
			<progress {...(value === null ? {} : { value })} max={max} />
		</label>
	);
}

/** Shows that content loads. It appears after a moment, so that fast pages do not flicker. */
export function Loading({ label }: { readonly label: string }) {
	return (
		<div className="loading" role="status">
			{label}…
		</div>
	);
}
