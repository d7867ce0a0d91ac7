/** Stops a live board. The script of the page shows it, because nothing moves without it. */
export function PauseButton() {
	return (
		<button type="button" class="pause" data-live-pause="" hidden>
			Pause
		</button>
	);
}
