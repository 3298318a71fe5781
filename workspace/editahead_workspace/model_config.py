"""The choice of the model by the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_inference.backends.engine_runfile import FILE_NAME
from editahead_workspace import user_dirs, user_secret
from editahead_workspace.setting_values import with_apply_model
from editahead_workspace.settings import Settings

if TYPE_CHECKING:
    from editahead_inference.backends.base import Backend
    from editahead_inference.predictors.model.predictor import ModelPredictor


@dataclass(frozen=True)
class ModelConfig:
    """The settings of a model. Another value means another model.

    Attributes:
        folders: The URIs of the workspace folders.
        key: The API key for the server. The key is never shown.
    """

    backend: str
    url: str | None
    model: str | None
    format: str
    api_key_env: str | None
    related_code: str
    folders: tuple[str, ...]
    key: str | None = field(repr=False)

    @classmethod
    def from_settings(
        cls, settings: Settings, environment: Mapping[str, str], folders: Sequence[str]
    ) -> ModelConfig:
        """Return the settings of the model, with the API key from the environment."""
        variable = settings.api_key_env
        key = environment.get(variable) if variable is not None else None
        identity = (
            settings.backend,
            settings.url,
            settings.model,
            settings.format,
            variable,
            settings.related_code,
        )
        return cls(*identity, tuple(folders), key)

    @classmethod
    def for_apply(
        cls, settings: Settings, environment: Mapping[str, str], folders: Sequence[str]
    ) -> ModelConfig:
        """Return the settings of the model that sketches ask: by `apply_model`, else the one of `from_settings`."""
        return cls.from_settings(Settings(**with_apply_model(vars(settings))), environment, folders)

    def create_predictor(self) -> ModelPredictor | None:
        """Return the predictor; None where the settings name no model.

        Raises:
            ValueError: The model cannot be used; the message is one sentence with the reason.
        """
        if self.backend == "embedded":
            return None
        from editahead_inference.backends.factory import create_backend
        from editahead_prompts.formats.registry import NAMES

        if self.format not in ("auto", *NAMES):
            raise ValueError(f"There is no prompt format {self.format!r}; there are {', '.join(NAMES)}.")
        variable = self.api_key_env
        backend = create_backend(
            self.backend,
            url=self.url,
            model=self.model,
            api_key_env=variable,
            environment={variable: self.key} if variable is not None and self.key is not None else {},
            engine=user_dirs.state_folder() / FILE_NAME,
            secret=user_secret.load_or_create_user_secret(user_dirs.state_folder())
            if self.backend in ("openai", "engine")
            else None,
        )
        return None if backend is None else self.wrap_backend(backend)

    def wrap_backend(self, backend: Backend) -> ModelPredictor:
        """Return the predictor that uses a backend."""
        from editahead_inference.predictors.model.predictor import ModelPredictor
        from editahead_prompts.formats.base import PromptPaths

        return ModelPredictor(
            backend,
            None if self.format == "auto" else self.format,
            source="local" if self.backend == "local" else "engine",
            paths=PromptPaths(self.folders),
            key=self._workspace_key,
            wants_related_code=self._wants_related_code(),
        )

    def differs_in_folders_only(self, other: ModelConfig) -> bool:
        """Return whether another configuration is of the same model, in other workspace folders."""
        return replace(other, folders=self.folders) == self

    def move(self, model: ModelPredictor) -> None:
        """Use a model in the workspace folders of this configuration: to load one anew takes long."""
        model.paths, model.key = replace(model.paths, roots=self.folders), self._workspace_key

    @property
    def _workspace_key(self) -> str:
        workspace = "\0".join((str(Path.home()), *self.folders))
        return blake2b(workspace.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def _wants_related_code(self) -> bool:
        """Return whether prompts show files that are not open: by default, to a model on this machine only."""
        if self.related_code != "auto" or self.backend != "openai":
            return self.related_code != "off"
        from editahead_inference.backends.openai.server_url import ServerUrl

        return ServerUrl.parse(self.url or "").loopback
