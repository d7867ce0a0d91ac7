// Draws a chart of src/domain/charts, as the public pages do, with its numbers as a table after it.
import type { ReactNode } from "react";
import type { Chart, Shape } from "../../../src/domain/charts/chart.ts";

interface ChartFigureProps {
	readonly chart: Chart;
	/** The description below the picture. */
	readonly children?: ReactNode;
}

export function ChartFigure({ chart, children }: ChartFigureProps) {
	const { label, width, height, shapes, legend } = chart;
	return (
		<figure className="chart">
			<svg className="chart-picture" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
				{shapes.map((shape, place) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: Shapes have no identity, and all of them change with the data.
					<ShapeElement key={place} shape={shape} />
				))}
			</svg>
			{legend.length > 0 && (
				<ul className="chart-legend">
					{legend.map((name, place) => (
						<li key={name} className={`series-${place}`}>
							<bdi>{name}</bdi>
						</li>
					))}
				</ul>
			)}
			{children}
			<Numbers chart={chart} />
		</figure>
	);
}

export function ShapeElement({ shape: { tag: Tag, class: className, at, text } }: { readonly shape: Shape }) {
	return (
		<Tag className={className} {...at}>
			{text}
		</Tag>
	);
}

function Numbers({ chart: { table, label } }: { readonly chart: Chart }) {
	return (
		<details className="chart-table">
			<summary>Numbers</summary>
			<table>
				<caption className="hidden">{label}</caption>
				<thead>
					<tr>
						{table.head.map((head) => (
							<th key={head} scope="col">
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{table.rows.map(([name = "", ...cells]) => (
						<tr key={[name, ...cells].join(" ")}>
							<th scope="row">
								<bdi>{name}</bdi>
							</th>
							{cells.map((cell, place) => (
								<td key={table.head[place + 1]}>{cell}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</details>
	);
}
