"""A program that does one trigger of a stream without Spark, with the package that Python finds: `python -m tests.laws.streaming_program FOLDER TRIGGER`."""

from __future__ import annotations

import json
import pickle
import random
import sys
from pathlib import Path

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog
from statemachines.conform.engines.spark.streaming.stream_query import checkpoint_keys
from statemachines.conform.engines.spark.streaming.streamed_files import StreamedLine
from tests.laws.test_streamed_logs import Spark


def main(place: Path, batch: int) -> None:
    """Judge the lines of a trigger; what Spark would keep stays in the folder."""
    request = make_request(CheckOptions(specs=[place / "specs" / "house" / "Door.yaml"]))
    BatchLog(str(place / "checkpoint")).refuse_other(checkpoint_keys(request))
    spark = Spark(request, place / "checkpoint", random.Random(batch))
    kept = place / "kept"
    if kept.is_file():
        spark.states, spark.written = pickle.loads(kept.read_bytes())
    spark.batch = batch
    texts = json.loads((place / f"{batch}.json").read_text("utf-8"))
    spark.trigger(
        {
            name: [StreamedLine(((True, at),), text.encode(), at) for at, text in numbered]
            for name, numbered in texts.items()
        }
    )
    kept.write_bytes(pickle.dumps((spark.states, spark.written)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
