// Finds a Python that has the package's dependencies. The variable PYTHON names one, for example in a virtual environment with other
// versions. Debian's own is found even if another one comes first in the path.
import { spawnSync } from "node:child_process";

const CANDIDATES = [process.env["PYTHON"] ?? "python3", "/usr/bin/python3"];

/** The command of a Python that has httpx and pydantic, or null if there is none. */
export const PYTHON: string | null =
	CANDIDATES.find((command) => spawnSync(command, ["-c", "import httpx, pydantic"], { stdio: "ignore" }).status === 0) ?? null;

/** Why tests of the Python package are skipped. */
export const NO_PYTHON = "python3 with httpx and pydantic is missing: apt-get install python3-httpx python3-pydantic";

/** True if the Python can verify receipts. */
export const HAS_CRYPTOGRAPHY = PYTHON !== null && spawnSync(PYTHON, ["-c", "import cryptography"], { stdio: "ignore" }).status === 0;
