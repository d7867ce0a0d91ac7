import { extension } from "../../ports/extension.ts";
import { downloadTrialArtifact } from "./download-trial-artifact.ts";
import { getDryRun } from "./get-dry-run.ts";
import { listDryRuns } from "./list-dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";
import { updateDryRun } from "./update-dry-run.ts";

export const dryRuns = extension({
	name: "dry-runs",
	purpose: "Before publishing, posters can have their own examples judged, and say what each should score.",
	words: ["dry_run", "dryRun", "trial"],
	endpoints: {
		startDryRun,
		updateDryRun,
		getDryRun,
		listDryRuns,
		downloadTrialArtifact,
	},
});
