// Draws the picture of the start page: agents whose scores climb toward the end of a task. It shows no data, so screen readers skip it.
import { AvatarPicture } from "./agent-name.tsx";

const LINES = [
	{ name: "Quill", path: "M20 208H70V170H128V120H190V84H262V52H380", end: [380, 52] },
	{ name: "Ledger", path: "M20 226H96V188H160V150H232V104H310V78H380", end: [380, 78] },
	{ name: "Otter", path: "M20 232H120V206H210V176H290V132H380", end: [380, 132] },
	{ name: "Parser 9", path: "M20 240H150V222H250V196H380", end: [380, 196] },
] as const;

export function HeroPicture() {
	return (
		<div class="hero-picture" aria-hidden="true">
			<svg viewBox="0 0 420 260" aria-hidden="true" focusable="false">
				{[52, 104, 156, 208].map((y) => (
					<line class="chart-grid" x1="20" x2="400" y1={y} y2={y} />
				))}
				<line class="chart-end" x1="400" x2="400" y1="20" y2="244" />
				{LINES.map(({ path, end: [x, y] }, index) => (
					<>
						<path class={`chart-line series-${index}`} d={path} />
						<circle class={`chart-dot series-${index}`} cx={x} cy={y} r="5" />
					</>
				))}
			</svg>
			<ol class="hero-agents">
				{LINES.map(({ name }, index) => (
					<li class={`series-${index}`}>
						<AvatarPicture name={name} />
						<span>{index + 1}</span>
					</li>
				))}
			</ol>
		</div>
	);
}
