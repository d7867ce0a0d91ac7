// Provides a chain in this process: a real EVM that mines a block for each transaction, behind the JSON-RPC methods that the platform uses.
import { type Block, createBlock } from "@ethereumjs/block";
import { type Common, createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { createTxFromRLP } from "@ethereumjs/tx";
import { bytesToHex, createAccount, createAddressFromString, hexToBytes, setLengthLeft } from "@ethereumjs/util";
import { buildBlock, createVM, type TxReceipt, type VM } from "@ethereumjs/vm";
import { BATCH_CODE, TOKEN_CODE } from "./evm-contracts.ts";

type Hex = `0x${string}`;

export interface Genesis {
	readonly chainId: number;
	/** A block is final once the chain has this many blocks, counted from that block on. */
	readonly blocksUntilFinal: number;
	/** The contract addresses that get the token's code. */
	readonly tokens: readonly Hex[];
	/** The contract addresses that get the code that makes several calls. */
	readonly batches: readonly Hex[];
	/** The accounts and contracts that have ether, and a million of each token. */
	readonly rich: readonly Hex[];
}

const MILLION_USDC = 1_000_000_000_000n;
const ETHER = 10n ** 18n;
const GAS_LIMIT = 10_000_000n;

export class TestChain {
	readonly #vm: VM;
	readonly #common: Common;
	readonly #blocksUntilFinal: number;
	readonly #blocks: Block[];
	readonly #receipts = new Map<Hex, object>();
	/** The state before each block, without the first one. */
	readonly #roots: Uint8Array[] = [];

	private constructor(vm: VM, common: Common, blocksUntilFinal: number) {
		this.#vm = vm;
		this.#blocksUntilFinal = blocksUntilFinal;
		this.#common = common;
		this.#blocks = [createBlock({ header: { number: 0n, timestamp: 1n, gasLimit: GAS_LIMIT } }, { common })];
	}

	static async create({ chainId, blocksUntilFinal, tokens, batches, rich }: Genesis): Promise<TestChain> {
		const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Paris });
		const vm = await createVM({ common });
		const { stateManager } = vm;
		for (const address of rich) await stateManager.putAccount(createAddressFromString(address), createAccount({ balance: 100n * ETHER }));
		for (const token of tokens) {
			const address = createAddressFromString(token);
			await stateManager.putAccount(address, createAccount({}));
			await stateManager.putCode(address, TOKEN_CODE);
			for (const owner of rich) {
				const balance = hexToBytes(`0x${MILLION_USDC.toString(16).padStart(64, "0")}`);
				await stateManager.putStorage(address, setLengthLeft(hexToBytes(owner), 32), balance);
			}
		}
		for (const batch of batches) await stateManager.putCode(createAddressFromString(batch), BATCH_CODE);
		return new TestChain(vm, common, blocksUntilFinal);
	}

	get #head(): Block {
		const head = this.#blocks.at(-1);
		if (head === undefined) throw new Error("A chain has its first block.");
		return head;
	}

	get #finalBlock(): Block | undefined {
		return this.#blocks.at(-this.#blocksUntilFinal) ?? this.#blocks[0];
	}

	/** Mines a block with a transaction, or an empty one. */
	async mine(raw: Hex | null, timestamp: number): Promise<Hex | null> {
		const parentBlock = this.#head;
		this.#roots.push(await this.#vm.stateManager.getStateRoot());
		const headerData = { timestamp, gasLimit: GAS_LIMIT, baseFeePerGas: parentBlock.header.calcNextBaseFee() };
		const builder = await buildBlock(this.#vm, {
			parentBlock,
			headerData,
			blockOpts: { putBlockIntoBlockchain: false, common: this.#common },
		});
		const transaction = raw === null ? null : createTxFromRLP(hexToBytes(raw), { common: this.#common });
		const result = transaction === null ? null : await builder.addTransaction(transaction);
		const { block } = await builder.build();
		this.#blocks.push(block);
		if (transaction === null || result === null) return null;
		const hash = bytesToHex(transaction.hash());
		this.#receipts.set(hash, describeReceipt(hash, block, result.receipt));
		return hash;
	}

	/** Removes the newest blocks with their transactions, as a reorganisation of the chain does. Returns the number of transactions. */
	async dropBlocks(count: number): Promise<number> {
		const dropped = this.#blocks.splice(-count);
		const [root] = this.#roots.splice(-count);
		if (root !== undefined) await this.#vm.stateManager.setStateRoot(root);
		const hashes = dropped.flatMap(({ transactions }) => transactions.map((transaction) => bytesToHex(transaction.hash())));
		for (const hash of hashes) this.#receipts.delete(hash);
		return hashes.length;
	}

	/** Returns what a node responds to a method, or null for an unknown method. */
	async respond(method: string, params: readonly unknown[]): Promise<{ readonly result: unknown } | null> {
		const [first] = params;
		switch (method) {
			case "eth_chainId":
				return { result: `0x${this.#common.chainId().toString(16)}` };
			case "eth_getTransactionReceipt":
				return { result: this.#receipts.get(`0x${String(first).slice(2)}`) ?? null };
			case "eth_getBlockByNumber":
				return { result: describeBlock(first === "finalized" ? this.#finalBlock : this.#blocks[Number(first)]) };
			default:
				return null;
		}
	}
}

const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;

function describeBlock(block: Block | undefined) {
	if (block === undefined) return null;
	return { number: toHex(block.header.number), hash: bytesToHex(block.hash()), timestamp: toHex(block.header.timestamp), transactions: [] };
}

function describeReceipt(transactionHash: Hex, block: Block, receipt: TxReceipt) {
	return {
		transactionHash,
		status: "status" in receipt && receipt.status === 1 ? "0x1" : "0x0",
		blockNumber: toHex(block.header.number),
		blockHash: bytesToHex(block.hash()),
		logs: receipt.logs.map(([address, topics, data], index) => ({
			address: bytesToHex(address),
			topics: topics.map((topic) => bytesToHex(topic)),
			data: bytesToHex(data),
			logIndex: toHex(BigInt(index)),
		})),
	};
}
