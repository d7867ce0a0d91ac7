// Provides two contracts for the test chains, assembled opcode by opcode: a token with `transfer`, and a contract that makes several calls
// in one transaction. The token stores the balance of an account in the storage slot whose number is the account's address.
import { hexToBytes } from "viem/utils";

const OPCODES = {
	STOP: 0x00,
	ADD: 0x01,
	SUB: 0x03,
	LT: 0x10,
	EQ: 0x14,
	ISZERO: 0x15,
	SHR: 0x1c,
	CALLER: 0x33,
	CALLDATALOAD: 0x35,
	CALLDATASIZE: 0x36,
	CALLDATACOPY: 0x37,
	MSTORE: 0x52,
	SLOAD: 0x54,
	SSTORE: 0x55,
	JUMP: 0x56,
	JUMPI: 0x57,
	GAS: 0x5a,
	JUMPDEST: 0x5b,
	DUP1: 0x80,
	DUP2: 0x81,
	DUP3: 0x82,
	DUP7: 0x86,
	SWAP1: 0x90,
	LOG3: 0xa3,
	CALL: 0xf1,
	RETURN: 0xf3,
	REVERT: 0xfd,
} as const;

const PUSH1 = 0x60;

/** Assembles words: opcodes, hex digits that are pushed, `name:` for a place to jump to, and `@name` to push its position. */
function assemble(source: string): Uint8Array {
	const words = source.trim().split(/\s+/);
	const places = new Map<string, number>();
	// The first pass only finds the places, which all have two bytes.
	for (const isLast of [false, true]) {
		const code: number[] = [];
		for (const word of words) {
			if (word.endsWith(":")) places.set(word.slice(0, -1), code.length);
			code.push(...encode(word, isLast ? places : null));
		}
		if (isLast) return Uint8Array.from(code);
	}
	return new Uint8Array();
}

function encode(word: string, places: ReadonlyMap<string, number> | null): number[] {
	if (word.endsWith(":")) return [OPCODES.JUMPDEST];
	if (word.startsWith("@")) {
		const place = places === null ? 0 : places.get(word.slice(1));
		if (place === undefined) throw new Error(`There is no place ${word}.`);
		return [PUSH1 + 1, place >> 8, place & 0xff];
	}
	if (isOpcode(word)) return [OPCODES[word]];
	const bytes = hexToBytes(`0x${word}`);
	return [PUSH1 + bytes.length - 1, ...bytes];
}

function isOpcode(word: string): word is keyof typeof OPCODES {
	return Object.hasOwn(OPCODES, word);
}

/** The keccak256 of `Transfer(address,address,uint256)`, which identifies logs of ERC-20 transfers. */
const TRANSFER_TOPIC = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Implements `transfer(address to, uint256 amount)` of ERC-20: it moves a balance and logs it, or reverts. */
export const TOKEN_CODE = assemble(`
	00 CALLDATALOAD e0 SHR a9059cbb EQ @transfer JUMPI
	fail: 00 00 REVERT
	transfer:
	24 CALLDATALOAD CALLER SLOAD
	DUP2 DUP2 LT @fail JUMPI
	DUP2 SWAP1 SUB CALLER SSTORE
	04 CALLDATALOAD DUP1 SLOAD DUP3 ADD DUP2 SSTORE
	SWAP1 00 MSTORE
	CALLER ${TRANSFER_TOPIC} 20 00 LOG3
	01 00 MSTORE 20 00 RETURN`);

/**
 * Makes the calls in its input one after the other. Each call is the contract's address and the number of bytes, a word each, and then the
 * bytes.
 */
export const BATCH_CODE = assemble(`
	00
	next: CALLDATASIZE DUP2 LT ISZERO @end JUMPI
	DUP1 20 ADD CALLDATALOAD
	DUP1 DUP3 40 ADD 00 CALLDATACOPY
	00 00 DUP3 00 00 DUP7 CALLDATALOAD GAS CALL
	ISZERO @fail JUMPI
	ADD 40 ADD @next JUMP
	end: STOP
	fail: 00 00 REVERT`);
