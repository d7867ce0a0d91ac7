"""Verifies receipts of evaluations without network. This needs the extra `receipts` (the package cryptography)."""

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ._models import to_plain
from .errors import BountyUsageError, VerificationError

RECEIPT_TYPE = "receipt+jwt"
_WORTH = {"yes": 1.0, "partly": 0.5, "no": 0.0, "not_seen": 0.0}
"""Each answer to a check is worth this much."""
_MIN_TRIMMED = 3
"""From this number of samples on, the lowest and the highest answer to a check do not count, and the spread is known."""
_CLAIMS = frozenset(
    (
        *("submission_id", "task_id", "task_sha256", "evaluation_id", "round", "artifact_sha256", "rubric_sha256"),
        *("weights", "mode_weights", "judge", "models", "confirmed_by", "prompt_version", "temperature", "image_digest"),
        *("samples", "scores", "iat"),
    )
)
_SAME_NAMES = ("judge", "models", "confirmed_by", "prompt_version", "image_digest", "artifact_sha256")
_CRITERION_TEXT = ("name", "description", "checks", "evidence", "whole_checks")
_FIXED_FIELDS = (
    *("title", "description", "category", "input_spec", "output_spec", "eval_mode", "test_weight", "llm_weight"),
    *("test_suite_sha256", "eval_image_digest"),
)


@dataclass(frozen=True)
class VerifiedReceipt:
    """What a receipt proves about an evaluation."""

    claims: Dict[str, Any]
    recomputed: Tuple[str, ...]
    """The scores that were computed again from samples and weights."""
    taken: Tuple[str, ...]
    """The scores that only their source can know."""


def verify_receipt(
    evaluation: Any, jwks: Any, *, task: Any = None, artifact_sha256: Optional[str] = None
) -> VerifiedReceipt:
    """Checks a receipt: its signature, the element of the evaluations list against it, and that the scores follow from the samples.

    `jwks` is the platform's key set, from `client.get_receipt_keys()` or a copy of it. `task` is the task's detail or its public
    view, to check that it is the one that was signed, and `artifact_sha256` the hex hash of the submitted zip.

    Raises VerificationError that names everything that differs.
    """
    listed, keys = to_plain(evaluation), to_plain(jwks)
    if not isinstance(listed, dict) or not isinstance(listed.get("receipt"), str):
        raise VerificationError("The value is not an element of the evaluations list.")
    claims = _read_signed(listed["receipt"], keys)
    try:
        _assert_claims(claims)
        faults, recomputed, taken = _recompute(claims)
        faults = [*_differences(listed, claims), *faults, *_foreign_faults(claims, task, artifact_sha256)]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise VerificationError(f"The receipt or the evaluation cannot be read: {error}") from error
    if faults:
        raise VerificationError("\n".join(faults))
    return VerifiedReceipt(claims, tuple(recomputed), tuple(taken))


def _read_signed(receipt: str, jwks: Any) -> Dict[str, Any]:
    parts = receipt.split(".")
    decoded = [_decode(part) for part in parts]
    if len(parts) != 3 or any(each is None for each in decoded):
        raise VerificationError("The receipt is not a compact JWS.")
    header_bytes, payload, signature = (each or b"" for each in decoded)
    header = _parse_json(header_bytes)
    is_ours = isinstance(header, dict) and header.get("alg") == "EdDSA" and header.get("typ") == RECEIPT_TYPE and "crit" not in header
    if not is_ours or not isinstance(header.get("kid"), str):
        raise VerificationError(f'The header of the receipt is not {{"alg": "EdDSA", "kid": …, "typ": "{RECEIPT_TYPE}"}}.')
    listed = jwks.get("keys") if isinstance(jwks, dict) else None
    if not isinstance(listed, list):
        raise VerificationError("The keys are not a JSON Web Key Set.")
    key = next((each for each in listed if isinstance(each, dict) and each.get("kid") == header["kid"]), None)
    if key is None:
        raise VerificationError(f"The key set has no key {header['kid']}. Get a new copy of /.well-known/jwks.json.")
    _verify_signature(_public_key(key), signature, f"{parts[0]}.{parts[1]}".encode("ascii"))
    claims = _parse_json(payload)
    if not isinstance(claims, dict):
        raise VerificationError("The receipt does not have the claims of a receipt.")
    begin, end, issued = key.get("nbf"), key.get("exp"), claims.get("iat")
    if end is not None and not (_is_number(issued) and _is_number(end) and issued <= end):
        raise VerificationError(f"The key {header['kid']} was retired before the receipt was issued.")
    if begin is not None and not (_is_number(issued) and _is_number(begin) and issued >= begin):
        raise VerificationError(f"The receipt was issued before the key {header['kid']} was in use.")
    return claims


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _public_key(key: Mapping[str, Any]) -> bytes:
    kid, x = key.get("kid"), key.get("x")
    raw = _decode(x) if isinstance(x, str) else None
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or raw is None or len(raw) != 32:
        raise VerificationError(f"The key {kid} is not an Ed25519 key.")
    # The thumbprint of RFC 7638. Without this check, a key could have another key's name.
    thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
    if _encode(thumbprint) != kid:
        raise VerificationError(f"The id of the key {kid} is not the thumbprint of the key.")
    return raw


def _verify_signature(key: bytes, signature: bytes, signed: bytes) -> None:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise BountyUsageError("Verifying receipts needs the package cryptography: pip install cryptography") from None
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except InvalidSignature:
        raise VerificationError("The signature of the receipt is wrong: the receipt or the key was changed.") from None


def _assert_claims(claims: Mapping[str, Any]) -> None:
    missing = sorted(_CLAIMS - set(claims))
    unknown = sorted(set(claims) - _CLAIMS - {"test"})
    if missing or unknown:
        raise VerificationError(f"The receipt does not have the claims of a receipt: {', '.join(missing or unknown)}")
    if not isinstance(claims["samples"], dict) or any(not records for records in claims["samples"].values()):
        raise VerificationError("The receipt does not have the claims of a receipt: samples")
    if claims.get("test", True) is not True:
        raise VerificationError("The receipt does not have the claims of a receipt: test")


def _recompute(claims: Mapping[str, Any]) -> Tuple[List[str], List[str], List[str]]:
    """Criteria follow from the answers to their checks, `llm` is their weighted mean, and `final` follows from `test` and `llm`.

    An image scores its criteria itself.
    """
    if claims["judge"] == "external":
        return [], [], ["all scores, which the poster's service posted"]
    samples, weights, scores = claims["samples"], claims["weights"], claims["scores"]
    faults = list(_compare_names(samples, scores["criteria"], weights)) if samples else []
    computed = {name: _criterion_score(records) for name, records in samples.items()}
    for name, score in computed.items():
        shown = json.dumps(name, ensure_ascii=False)
        if name in scores["criteria"]:
            faults += _compare_scores(shown, scores["criteria"][name], score)
        for sample in samples[name]:
            if sample["found"]:
                faults += _compare_scores(f"of a sample of {shown}", sample["score"], _sample_score(sample["found"]))
    weighted = _weighted_score([(score, weights.get(name, 0)) for name, score in computed.items()]) if samples else None
    faults += _compare_scores("llm", scores["llm"], weighted)
    shares = claims["mode_weights"]
    final = _clamp(_round((shares["test"] * (scores["test"] or 0) + shares["llm"] * (scores["llm"] or 0)) / 100))
    faults += _compare_scores("final", scores["final"], final)
    recomputed = [*(["criteria", "llm"] if samples else []), "final"]
    by_image = [*([] if samples else ["criteria"]), *(part for part in ("test", "container") if scores[part] is not None)]
    return faults, recomputed, [f"{part}, which the poster's image gave" for part in by_image]


def _compare_names(samples: Mapping[str, Any], scored: Mapping[str, Any], weights: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"The criterion {json.dumps(name)} has a score and no samples." for name in scored if name not in samples)
    yield from (f"The criterion {json.dumps(name)} has samples and no score." for name in samples if name not in scored)
    yield from (f"The criterion {json.dumps(name)} has a weight and no samples." for name in weights if name not in samples)
    yield from (f"The criterion {json.dumps(name)} has samples and no weight." for name in samples if name not in weights)


def _compare_scores(name: str, signed: Any, computed: Any) -> List[str]:
    if signed == computed:
        return []
    return [f"The receipt says {_show(signed)} for the score {name}; its samples and weights give {_show(computed)}."]


def _differences(listed: Mapping[str, Any], claims: Mapping[str, Any]) -> Iterator[str]:
    """Returns a sentence for each field of the element that differs from the receipt."""
    scores, weights, dimensions = claims["scores"], claims["weights"], listed["dimensions"]
    # If the criteria that only the final round judges are missing, the weights of the others make up the whole.
    total = _add(weights.values())
    rescaled = {name: weight * 100 / total for name, weight in weights.items()}
    spread = _spread(claims["samples"], rescaled, claims["mode_weights"]["llm"])
    names = [each["criterion_name"] for each in dimensions]
    samples = {
        name: [{key: record[key] for key in ("model", "found", "score")} for record in records]
        for name, records in listed["samples"].items()
    }
    written = datetime.fromisoformat(str(listed["created_at"]).replace("Z", "+00:00"))
    pairs = [
        ("id", listed["id"], claims["evaluation_id"]),
        ("round", listed["round"], claims["round"]),
        ("final_score", listed["final_score"], scores["final"]),
        ("test_score", listed["test_score"], scores["test"]),
        ("llm_score", listed["llm_score"], scores["llm"]),
        ("container_score", listed["container_score"], scores["container"]),
        ("the scores of dimensions", {each["criterion_name"]: each["score"] for each in dimensions}, scores["criteria"]),
        ("the weights of dimensions", {each["criterion_name"]: each["weight"] for each in dimensions}, {n: weights.get(n) for n in names}),
        ("samples", samples, claims["samples"]),
        *((name, listed[name], claims[name]) for name in _SAME_NAMES),
        ("spread", listed["spread"], None if spread is None else _round(spread)),
        # The clock of a test task may be ahead, and its receipts are issued at the real time.
        *([] if "test" in claims else [("created_at, in seconds", math.floor(written.timestamp()), claims["iat"])]),
        ("the number of dimensions", len(dimensions), len(scores["criteria"])),
    ]
    for name, shown, signed in pairs:
        if shown != signed:
            yield f"The file says {_show(shown)} for {name}; the receipt says {_show(signed)}."


def _foreign_faults(claims: Mapping[str, Any], task: Any, artifact_sha256: Optional[str]) -> List[str]:
    """Returns a sentence for each value of the caller that differs from what the receipt signs."""
    faults = []
    if artifact_sha256 is not None and artifact_sha256 != claims["artifact_sha256"]:
        faults.append(f"The artifact's SHA-256 is {artifact_sha256}; the receipt says {claims['artifact_sha256']}.")
    if task is not None:
        shown = to_plain(task)
        digest, task_faults = _check_task(shown)
        faults += task_faults
        if digest != claims["task_sha256"]:
            faults.append(f"The task's SHA-256 is {digest}; the receipt says {claims['task_sha256']}.")
        faults += _rubric_faults(claims, shown["criteria"])
    return faults


def _rubric_faults(claims: Mapping[str, Any], criteria: List[Dict[str, Any]]) -> List[str]:
    """An ordinary evaluation does not judge the criteria that are hidden until the final round has ended."""
    judged = [each for each in criteria if each["name"] in claims["weights"]]
    if len(judged) < len(claims["weights"]) and any(each.get("commitment") is not None and each.get("salt") is None for each in criteria):
        return ["The receipt is about criteria that this copy of the task hides. Read the task again after its final round."]
    digest = _hash([{key: each[key] for key in (*_CRITERION_TEXT, "weight", "position")} for each in judged])
    signed = claims["rubric_sha256"]
    return [] if digest == signed else [f"The rubric's SHA-256 is {digest}; the receipt says {signed}."]


def verify_task(task: Any, expected: Optional[str] = None) -> str:
    """Computes the digest of a task again from what the task shows, and returns it.

    `task` is the task's detail or its public view. `expected` is a digest from a receipt or an earlier copy. Without one,
    this shows only that the task is consistent with itself.

    Raises VerificationError that names everything that differs.
    """
    try:
        digest, faults = _check_task(to_plain(task))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise VerificationError(f"The value is not the detail or the public view of a task: {error}") from error
    if expected is not None and digest != expected:
        faults.append(f"The task's SHA-256 is {digest}, but {expected} was expected.")
    if faults:
        raise VerificationError("\n".join(faults))
    return digest


def _check_task(task: Mapping[str, Any]) -> Tuple[str, List[str]]:
    faults, criteria = [], []
    for each in task["criteria"]:
        place = {key: each[key] for key in ("weight", "position")}
        text = {key: each[key] for key in _CRITERION_TEXT}
        commitment, salt = each.get("commitment"), each.get("salt")
        criteria.append({**place, "commitment": commitment} if commitment is not None else {**text, **place})
        computed = commitment if salt is None else _hash({"salt": salt, **text})
        if computed != commitment:
            faults.append(f"The text of {json.dumps(each['name'])} has the commitment {computed}; the task says {commitment}.")
    attachments = [{key: each[key] for key in ("field", "filename", "sha256")} for each in task["judged_attachments"]]
    digest = _hash({**{key: task[key] for key in _FIXED_FIELDS}, "criteria": criteria, "attachments": attachments})
    if task["task_sha256"] is None:
        faults.append("The task is a draft. Publishing it fixes its SHA-256.")
    elif task["task_sha256"] != digest:
        faults.append(f"The task's SHA-256 is {digest}; its task_sha256 says {task['task_sha256']}.")
    return digest, faults


def _hash(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Returns a JSON value as its canonical text (RFC 8785)."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical_json(name)}:{canonical_json(each)}" for name, each in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical_json(each) for each in value) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """Formats a number as ECMAScript does."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON.")
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    sign, text = ("-", repr(-value)) if value < 0 else ("", repr(value))
    digits, _, exponent = text.partition("e")
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    if exponent == "":
        return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
    power = int(exponent)
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
    return f"{sign}{whole}{'.' if fraction else ''}{fraction}e{'+' if power > 0 else '-'}{abs(power)}"


def _show(value: Any) -> str:
    return canonical_json(value)


def _round(score: float) -> float:
    """Rounds to two decimals, as the platform does."""
    return math.floor((score + 2.0**-52) * 100 + 0.5) / 100


def _clamp(score: float) -> float:
    return min(100.0, max(0.0, score))


def _add(terms: Iterable[float]) -> float:
    """Adds from left to right, because `sum` of newer versions corrects the rounding."""
    total = 0.0
    for term in terms:
        total += term
    return total


def _mean(values: List[float]) -> float:
    return _add(values) / len(values) if values else 0.0


def _sample_score(found: List[str]) -> float:
    return _round(100 * _mean([_WORTH[each] for each in found]))


def _check_value(found: List[str]) -> float:
    worths = sorted(_WORTH[each] for each in found)
    return _mean(worths if len(worths) < _MIN_TRIMMED else worths[1:-1])


def _criterion_score(records: List[Dict[str, Any]]) -> float:
    """Scores that a person gave have no answers, and their mean counts."""
    checks = len(records[0]["found"]) if records else 0
    if checks == 0:
        return _round(_mean([record["score"] for record in records]))
    answers = [[record["found"][check] if check < len(record["found"]) else "no" for record in records] for check in range(checks)]
    return _round(100 * _mean([_check_value(found) for found in answers]))


def _weighted_score(scores: List[Tuple[float, float]]) -> float:
    """Adds terms in order of size, because floating-point sums depend on the order."""
    weights = _add(sorted(weight for _, weight in scores))
    return _clamp(_round(_add(sorted(score * weight for score, weight in scores)) / weights))


def _spread(samples: Mapping[str, Any], weights: Mapping[str, float], share: float) -> Optional[float]:
    """Returns the standard deviation of the final scores that the samples would give one by one.

    Returns None if a criterion has fewer than three samples.
    """
    rounds = min((len(records) for records in samples.values()), default=0)
    if rounds < _MIN_TRIMMED:
        return None
    scores = [
        _add(weights.get(name, 0) * records[round_]["score"] * share / 10_000 for name, records in samples.items()) for round_ in range(rounds)
    ]
    middle = _mean(scores)
    return math.sqrt(_add((score - middle) ** 2 for score in scores) / (rounds - 1))


def _decode(encoded: str) -> Optional[bytes]:
    """Returns the bytes of base64url, or None for text that `_encode` would not have written."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", encoded):
        return None
    try:
        decoded = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except ValueError:
        return None
    return decoded if _encode(decoded) == encoded else None


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")


def _parse_json(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
