/** Pauses a live leaderboard. Without scripts, the leaderboard is not live, so only the page's script shows this button. */
export function PauseButton() {
	return (
		<button type="button" class="pause" data-live-pause="" hidden>
			Pause
		</button>
	);
}
