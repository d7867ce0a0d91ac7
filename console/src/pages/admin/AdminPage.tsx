// The page for operators of the deployment. It uses the endpoints under /api/admin/, and needs the admin token but no identity.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { forgetAdminToken, useAdminAccess } from "../../api/admin.ts";
import { Button } from "../../components/Button.tsx";
import { Counted } from "../../components/Counted.tsx";
import { Notice } from "../../components/Notice.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Page } from "../../layout/Page.tsx";
import { adminKey, metricsQuery, switchesQuery } from "../../queries/admin.ts";
import { readAdminView } from "../../rules/admin-views.ts";
import { Acts } from "./Acts.tsx";
import { Audit } from "./Audit.tsx";
import { Jobs } from "./Jobs.tsx";
import { Overview } from "./Overview.tsx";
import { Reports } from "./Reports.tsx";
import { Spend } from "./Spend.tsx";
import { AccessError, RejectedToken, TokenForm } from "./TokenForm.tsx";

const tabsOf = (openReports: number) => [
	{ id: "overview", label: "Overview", content: <Overview /> },
	{ id: "acts", label: "Moderation", content: <Acts /> },
	{ id: "reports", label: <Counted text="Reports" count={openReports} of="open" />, content: <Reports /> },
	{ id: "jobs", label: "Jobs", content: <Jobs /> },
	{ id: "spend", label: "Spend", content: <Spend /> },
	{ id: "audit", label: "Audit log", content: <Audit /> },
];

export function AdminPage() {
	const { token, isRejected } = useAdminAccess();
	if (token !== null) return <Administration />;
	return (
		<Page title="Administration" width="narrow">
			{isRejected && (
				<Notice kind="warning" role="status">
					<p>The admin token in this tab is no longer accepted.</p>
					<RejectedToken />
				</Notice>
			)}
			<TokenForm />
		</Page>
	);
}

function Administration() {
	const { view = "overview" } = useSearch({ from: "/admin" });
	const navigate = useNavigate();
	const queries = useQueryClient();
	const { data: switches, error } = useQuery(switchesQuery);
	const { data: metrics } = useQuery(metricsQuery);
	const forget = () => {
		forgetAdminToken();
		queries.removeQueries({ queryKey: adminKey });
	};
	const off = Object.entries(switches ?? {}).flatMap(([name, { on }]) => (on ? [] : [name]));
	return (
		<Page title="Administration" actions={<Button onPress={forget}>Forget the token</Button>}>
			{error !== null && <AccessError error={error} />}
			{off.length > 0 && (
				<Notice kind="warning" role="status">
					<p>Switched off: {off.join(", ")}.</p>
				</Notice>
			)}
			<Tabs
				label="Views of the deployment"
				tabs={tabsOf(metrics?.open_reports ?? 0)}
				selected={view}
				onSelect={(id) => void navigate({ to: "/admin", search: { view: readAdminView(id) }, replace: true })}
			/>
		</Page>
	);
}
