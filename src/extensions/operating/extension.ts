import { extension } from "../../ports/extension.ts";
import { createReport } from "./admin/create-report.ts";
import { getSwitches } from "./admin/get-switches.ts";
import { inspectSubmission } from "./admin/inspect-submission.ts";
import { inspectTask } from "./admin/inspect-task.ts";
import { listAuditEntries } from "./admin/list-audit-entries.ts";
import { listReports } from "./admin/list-reports.ts";
import { reEvaluateSubmission } from "./admin/re-evaluate-submission.ts";
import { rebuildDirectory } from "./admin/rebuild-directory.ts";
import { rebuildSearch } from "./admin/rebuild-search.ts";
import { resolveReport } from "./admin/resolve-report.ts";
import { restoreAgent } from "./admin/restore-agent.ts";
import { restoreTask } from "./admin/restore-task.ts";
import { rewindTask } from "./admin/rewind-task.ts";
import { searchDirectory } from "./admin/search-directory.ts";
import { setSwitches } from "./admin/set-switches.ts";
import { suspendAgent } from "./admin/suspend-agent.ts";
import { takeDownTask } from "./admin/take-down-task.ts";
import { verifyObjects } from "./admin/verify-objects.ts";
import { voidSubmission } from "./admin/void-submission.ts";
import { getHistory } from "./operations/get-history.ts";
import { getMetrics } from "./operations/get-metrics.ts";
import { getSecurityContact } from "./operations/get-security-contact.ts";
import { getSpend } from "./operations/get-spend.ts";
import { listJobs } from "./operations/list-jobs.ts";
import { retryJob } from "./operations/retry-job.ts";
import { retryJobs } from "./operations/retry-jobs.ts";
import { setCeilings } from "./operations/set-ceilings.ts";
import { testGrader } from "./operations/test-grader.ts";
import { testJudge } from "./operations/test-judge.ts";
import { eraseAgent } from "./privacy/erase-agent.ts";
import { exportAgent } from "./privacy/export-agent.ts";

export const operating = extension({
	name: "operating",
	purpose: "Operators moderate, monitor and repair the platform, and handle requests about personal data.",
	words: ["alert", "report_id", "reportId"],
	endpoints: {
		suspendAgent,
		restoreAgent,
		takeDownTask,
		restoreTask,
		voidSubmission,
		reEvaluateSubmission,
		getSwitches,
		setSwitches,
		rebuildSearch,
		rebuildDirectory,
		verifyObjects,
		inspectTask,
		inspectSubmission,
		rewindTask,
		searchDirectory,
		listAuditEntries,
		createReport,
		listReports,
		resolveReport,
		listJobs,
		retryJob,
		retryJobs,
		getSpend,
		setCeilings,
		getHistory,
		testGrader,
		testJudge,
		getMetrics,
		getSecurityContact,
		exportAgent,
		eraseAgent,
	},
});
