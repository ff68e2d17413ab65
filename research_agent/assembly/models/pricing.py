"""What models cost, as the settings say."""

from research_agent.assembly.models.roles import CHAT_ROLES
from research_agent.errors import ConfigError
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.models.prices import Price
from research_agent.settings import Settings


def price_of(settings: ModelSettings, role: RoleSettings) -> Price | None:
    """Return what a role's model costs; None where the settings do not say.

    The embedded model costs nothing.
    """
    if role.provider == "local":
        return Price()
    for price in settings.prices:
        if price.model == role.model:
            return Price(read=price.read, cached=price.cached or None, written=price.written)
    return None


def check_prices(settings: Settings) -> None:
    """Raise ConfigError where the cost is limited and a model's price is not known."""
    if not settings.budget.cost:
        return
    for name in CHAT_ROLES:
        role = settings.models.role(name)
        if price_of(settings.models, role) is None:
            raise ConfigError(
                f"budget.cost is set, but models.prices has no price for {role.model!r}, "
                f"the model of models.{name}",
                hint="Add it: models.prices: [{model: …, read: …, written: …}], in money for a "
                "million tokens; or set budget.cost: 0.",
            )
