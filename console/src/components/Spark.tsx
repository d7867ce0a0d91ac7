import type { Chart } from "../../../src/domain/charts/chart.ts";
import { ShapeElement } from "./ChartFigure.tsx";

/** A sparkline in a list row. Its label contains the values, which the row or its page also shows as text. */
export function Spark({ chart }: { readonly chart: Chart | null }) {
	if (chart === null) return <span className="soft">–</span>;
	return (
		<svg className="spark" viewBox={`0 0 ${chart.width} ${chart.height}`} role="img" aria-label={chart.label}>
			{chart.shapes.map((shape) => (
				<ShapeElement key={shape.tag} shape={shape} />
			))}
		</svg>
	);
}
