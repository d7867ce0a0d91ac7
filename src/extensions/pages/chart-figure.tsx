// Draws a chart of src/domain/charts, with its numbers in a table.
import type { Chart, Shape } from "../../domain/charts/chart.ts";

/** Draws a chart without its table of numbers. */
export function ChartPicture({ chart: { label, width, height, shapes } }: { readonly chart: Chart }) {
	return (
		<svg class="chart-picture" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
			{shapes.map((shape) => (
				<ShapeElement shape={shape} />
			))}
		</svg>
	);
}

function ShapeElement({ shape: { tag: Tag, class: name, at, text } }: { readonly shape: Shape }) {
	return (
		<Tag class={name} {...at}>
			{text}
		</Tag>
	);
}

export function ChartFigure({ chart }: { readonly chart: Chart }) {
	return (
		<figure class="chart">
			<ChartPicture chart={chart} />
			{chart.legend.length === 0 ? null : (
				<ul class="chart-legend">
					{chart.legend.map((name, index) => (
						<li class={`series-${index}`}>
							<bdi>{name}</bdi>
						</li>
					))}
				</ul>
			)}
			<DataTable chart={chart} />
		</figure>
	);
}

/** Shows the numbers of a chart, for readers who cannot see the chart or want the numbers. */
export function DataTable({ chart: { table, label } }: { readonly chart: Chart }) {
	return (
		<details class="chart-table">
			<summary>Numbers</summary>
			<table>
				<caption class="unseen">{label}</caption>
				<thead>
					<tr>
						{table.head.map((head) => (
							<th scope="col">{head}</th>
						))}
					</tr>
				</thead>
				<tbody>
					{table.rows.map(([name, ...cells]) => (
						<tr>
							<th scope="row">
								<bdi>{name}</bdi>
							</th>
							{cells.map((cell) => (
								<td>{cell}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</details>
	);
}
