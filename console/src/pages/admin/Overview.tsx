// The platform's load and its switches.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatBytes, formatTimeLeft } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { Loading } from "../../components/Progress.tsx";
import { metricsQuery, readinessQuery } from "../../queries/admin.ts";
import { History } from "./History.tsx";
import { Switches } from "./Switches.tsx";

export function Overview() {
	return (
		<div className="form">
			<section className="section" aria-labelledby="metrics">
				<h2 id="metrics">Now</h2>
				<Metrics />
			</section>
			<section className="section" aria-labelledby="history">
				<h2 id="history">Recent days</h2>
				<History />
			</section>
			<section className="section" aria-labelledby="switches">
				<h2 id="switches">Switches</h2>
				<p className="soft">A change takes effect within 10 seconds.</p>
				<Switches />
			</section>
		</div>
	);
}

function Metrics() {
	const { data, error } = useQuery(metricsQuery);
	const readiness = useQuery(readinessQuery);
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading the metrics" />;
	const grader: readonly [string, ReactNode] = ["Grader", GRADER_TEXTS[readiness.data?.checks.grader ?? "none"]];
	const judge: readonly [string, ReactNode] = ["Judge", describeJudge(readiness.data?.judge)];
	return <Facts facts={[...factsOf(data), judge, grader]} />;
}

/** The states of the judge that `/ready` reports, in words for operators. */
const JUDGE_TEXTS = {
	none: "none",
	offline: "offline, without a model",
	untested: "no evaluation has asked a model yet",
	ok: "works",
	failed: "does not work",
} as const;

function describeJudge(judge: Schemas["Readiness"]["judge"] | undefined): string {
	if (judge === undefined) return "unknown";
	const { state, last_fault: fault, suppliers } = judge;
	const open = suppliers.filter(({ open_since }) => open_since !== null).map(({ name, open_since }) => `${name} since ${open_since}`);
	const skipped =
		open.length === 0 ? "" : ` After repeated failures, the judge calls these suppliers only once a minute: ${open.join(", ")}.`;
	const words = state === "failed" && fault !== null ? `: ${[fault.message, fault.supplier_words ?? ""].join(" ").trim()}` : "";
	return `${JUDGE_TEXTS[state]}${words}${skipped}`;
}

/** The states of the grader's last test that `/ready` reports, in words for operators. */
const GRADER_TEXTS = { none: "none", untested: "not tested yet", ok: "passed its last test", failed: "failed its last test" } as const;

function factsOf(metrics: Schemas["Metrics"]): readonly (readonly [string, ReactNode])[] {
	const seconds = (value: number) => formatTimeLeft(value * 1000);
	const failed = Object.entries(metrics.failed).map(([cause, count]) => `${count} ${cause.replaceAll("_", " ")}`);
	return [
		["Waiting evaluations", metrics.waiting],
		["Running evaluations", metrics.running],
		["Longest wait", seconds(metrics.queue_age_seconds)],
		["Failed in the last 24 hours", failed.length === 0 ? "none" : failed.join(", ")],
		["Pending webhook deliveries", metrics.delivery_backlog],
		["Oldest pending delivery", seconds(metrics.delivery_age_seconds)],
		["Events to forward", metrics.outbox_backlog],
		["Database", formatBytes(metrics.d1_size_bytes)],
	];
}
