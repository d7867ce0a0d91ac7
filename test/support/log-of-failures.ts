// Shows the platform's last log lines of each test that fails.
import { afterEach, beforeEach } from "vitest";
import { forgetLines, printLines } from "./kept-log.ts";

beforeEach(forgetLines);

afterEach(({ task }) => {
	if (task.result?.state === "fail") printLines();
});
