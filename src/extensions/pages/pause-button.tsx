/** Pauses a live board. The page's script shows it, because without the script the board is not live. */
export function PauseButton() {
	return (
		<button type="button" class="pause" data-live-pause="" hidden>
			Pause
		</button>
	);
}
