// These tests apply to every endpoint, including those that are added later.

import { endpoints } from "../support/app.ts";
import { describeCommonBehaviour, describeRevokedKey, prepareCommonTests } from "../support/common-endpoint-tests.ts";

const contracts = endpoints;

prepareCommonTests();
describeRevokedKey(contracts);
for (const contract of contracts) describeCommonBehaviour(contract, contracts);
