"""The base of all values, for pydantic 1.10 and 2."""

from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

import pydantic
from pydantic import BaseModel, PrivateAttr

IS_PYDANTIC_2 = not pydantic.VERSION.startswith("1.")


class Model(BaseModel):
    """A value of the platform. Fields that are newer than this package are kept unchanged."""

    _request_id: Optional[str] = PrivateAttr(default=None)

    if IS_PYDANTIC_2:
        model_config = pydantic.ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())  # type: ignore[attr-defined]
    else:

        class Config:
            extra = "allow"
            smart_union = True
            allow_population_by_field_name = True

    def to_dict(self) -> Dict[str, Any]:
        """Returns the value as it arrived, as dictionaries and lists that JSON can express."""
        dump = self.model_dump if IS_PYDANTIC_2 else self.dict  # type: ignore[attr-defined]
        return to_plain(dump(by_alias=True, exclude_unset=True))  # type: ignore[no-any-return]


def to_iso(value: datetime) -> str:
    """Formats a time as the platform does. A time without a zone is local."""
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_plain(value: Any) -> Any:
    """Returns a model, or a container of models, as plain JSON values."""
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, dict):
        return {name: to_plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(each) for each in value]
    return value


Value = TypeVar("Value")


def parse(kind: Any, value: Any) -> Any:
    """Gives JSON its type. If the value does not fit, such as an object with only some fields, the parts that fit get their types."""
    if kind is Any or kind is None:
        return value
    try:
        return _validate(kind, value)
    except pydantic.ValidationError:
        return _take(kind, value)


_adapters: Dict[Any, Any] = {}


def _validate(kind: Any, value: Any) -> Any:
    if _is_model(kind):
        return kind.model_validate(value) if IS_PYDANTIC_2 else kind.parse_obj(value)  # type: ignore[attr-defined]
    if not IS_PYDANTIC_2:
        return pydantic.parse_obj_as(kind, value)
    if kind not in _adapters:
        _adapters[kind] = pydantic.TypeAdapter(kind)  # type: ignore[attr-defined]
    return _adapters[kind].validate_python(value)


def _take(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Union:
        parts = [part for part in arguments if part is not type(None)]
        if len(parts) == 1 and value is not None:
            return _take(parts[0], value)
        # An object of a kind that is newer than this package still has its fields.
        return _construct(Model, value) if isinstance(value, dict) and any(_is_model(part) for part in parts) else value
    if origin is list and isinstance(value, list):
        return [parse(arguments[0], each) for each in value]
    if origin is dict and isinstance(value, dict):
        return {name: parse(arguments[1], each) for name, each in value.items()}
    if _is_model(kind) and isinstance(value, dict):
        return _construct(kind, value)
    return value


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Model)


def _construct(kind: Type[Model], value: Dict[str, Any]) -> Model:
    fields: Dict[str, Tuple[str, Any]] = {}
    hints = get_type_hints(kind)
    names: Dict[str, Any] = kind.model_fields if IS_PYDANTIC_2 else kind.__fields__  # type: ignore[attr-defined]
    for name, field in names.items():
        fields[field.alias or name] = (name, hints.get(name, Any))
    given = {}
    for key, each in value.items():
        name, hint = fields.get(key, (key, Any))
        given[name] = parse(hint, each)
    build = kind.model_construct if IS_PYDANTIC_2 else kind.construct  # type: ignore[attr-defined]
    return build(_fields_set=set(given), **given)


def remember_request(value: Any, request_id: Optional[str]) -> None:
    """Records the request that returned a value."""
    if isinstance(value, Model):
        value._request_id = request_id


__all__: List[str] = ["Model", "parse", "remember_request", "to_iso", "to_plain"]
