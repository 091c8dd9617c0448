"""An auction over HTTP: rules, a journal and a web server. See docs/how-to/serve-your-own-rules.md."""

import os

import msgspec
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from quart_trio import QuartTrio

from scramble.cli.process import shutdown_signal
from scramble.errors import Refusal, ScrambleError
from scramble.journal import Journal, Supervised, open_supervised
from scramble.kernel.protocol import Answered, Command, Outcome, Query, Refused, Ticket, Withdraw


class Bid(Command[str], frozen=True):
    """Offer a price above the highest price."""

    name: str
    price: int


class Above(Query[str], frozen=True):
    """Wait until the highest price is above `price`."""

    price: int


class Auction:
    kind = "auction"
    commands: object = Bid | Withdraw

    def __init__(self, highest: Bid | None = None) -> None:
        self.highest, self.version, self.revision = highest or Bid("nobody", 0), 0, 0
        self.waiting: dict[Ticket, int] = {}  # each request is answered when the highest price is above its price

    def apply(self, ticket: Ticket, command: Command[object]) -> list[Outcome]:
        match command:
            case Bid(_, price) if price <= self.highest.price:
                return [Refused(ticket, Refusal(f"{self.highest.name} bids {self.highest.price} already"))]
            case Bid(_, price):
                self.highest, self.version, self.revision = command, self.version + 1, self.revision + 1
                self.waiting[ticket] = price - 1
            case Above(price):
                self.waiting[ticket] = price
            case Withdraw():
                self.waiting.pop(ticket, None)
        ready = [other for other, price in self.waiting.items() if price < self.highest.price]
        self.waiting = {other: price for other, price in self.waiting.items() if other not in ready}
        return [Answered(other, f"{self.highest.name} bids {self.highest.price}") for other in ready]

    def state(self) -> bytes:
        return msgspec.json.encode(self.highest)

    def restore(self, state: bytes, /) -> "Auction":
        return Auction(msgspec.json.decode(state, type=Bid))


def make_app(auction: Supervised) -> QuartTrio:
    app = QuartTrio("auction")

    @app.post("/bid/<name>/<int:price>")
    async def bid(name: str, price: int) -> str:
        return await auction.ask(Bid(name, price)) + "\n"

    @app.get("/above/<int:price>")
    async def above(price: int) -> str:
        return await auction.ask(Above(price)) + "\n"

    @app.errorhandler(ScrambleError)
    async def refuse(error: ScrambleError) -> tuple[str, int]:
        return f"{error}\n", error.status

    return app


async def main() -> None:
    config = Config.from_mapping(bind=f"localhost:{os.environ.get('PORT', '8080')}")
    async with open_supervised(Auction, journal=Journal("auction.db")) as auction, shutdown_signal() as signalled:
        await serve(make_app(auction), config, shutdown_trigger=signalled)


if __name__ == "__main__":
    trio.run(main)
