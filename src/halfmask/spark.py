"""`halfmask.spark.publish(frame)`: publish a dataframe of Spark where its rows are."""

from halfmask.engines.spark.publish import SparkPublication, publish

__all__ = ["SparkPublication", "publish"]
