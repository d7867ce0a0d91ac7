// These tests apply to every endpoint, including those that are added later.

import { endpoints } from "../support/app.ts";
import { describeCommonBehaviour, prepareCommonTests } from "../support/common-endpoint-tests.ts";

prepareCommonTests();
for (const contract of endpoints) describeCommonBehaviour(contract, endpoints);
