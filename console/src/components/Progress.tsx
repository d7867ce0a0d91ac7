import { Label, ProgressBar } from "react-aria-components";

interface ProgressProps {
	readonly label: string;
	/** From 0 to `max`; null while the amount left is unknown. */
	readonly value: number | null;
	readonly max?: number;
}

/** Shows the progress of long work. */
export function Progress({ label, value, max = 100 }: ProgressProps) {
	return (
		<ProgressBar className="progress" value={value ?? 0} maxValue={max} isIndeterminate={value === null}>
			<Label>{label}</Label>
			<progress {...(value === null ? {} : { value })} max={max} aria-hidden="true" tabIndex={-1} />
		</ProgressBar>
	);
}

/** While content loads. Appears after a moment, so that fast pages do not flicker. */
export function Loading({ label }: { readonly label: string }) {
	return (
		<div className="loading" role="status">
			{label}…
		</div>
	);
}
