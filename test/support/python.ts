// Finds a Python with the package's dependencies. The variable PYTHON names one, for example of a virtual environment with other
// versions. Debian's own is also found if another one comes first in the path.
import { spawnSync } from "node:child_process";

const CANDIDATES = [process.env["PYTHON"] ?? "python3", "/usr/bin/python3"];

/** This Python has httpx and pydantic. It is null if there is none. */
export const PYTHON: string | null =
	CANDIDATES.find((command) => spawnSync(command, ["-c", "import httpx, pydantic"], { stdio: "ignore" }).status === 0) ?? null;

/** Tests of the Python package are skipped for this reason. */
export const NO_PYTHON = "python3 with httpx and pydantic is missing: apt-get install python3-httpx python3-pydantic";

/** True if the Python can verify receipts. */
export const HAS_CRYPTOGRAPHY = PYTHON !== null && spawnSync(PYTHON, ["-c", "import cryptography"], { stdio: "ignore" }).status === 0;
