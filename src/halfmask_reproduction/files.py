"""The public data of the experiments: names, digests, and where they are published."""

from __future__ import annotations

from halfmask_reproduction.description import DataFile

_UCI = "the UCI Machine Learning Repository (https://archive.ics.uci.edu)"
_SOURCES = {
    "lucs": f"{_UCI}, discretised for the LUCS-KDD library (University of Liverpool)",
    "coenen": "the LUCS-KDD library of discretised data (University of Liverpool)",
    "bayardo": f"{_UCI}, in the item coding of the FIMI repository",
    "fimi": "the FIMI repository (http://fimi.uantwerpen.be/data/)",
    "brijs": "the FIMI repository (http://fimi.uantwerpen.be/data/), by T. Brijs",
    "arules": "the R package arules (M. Hahsler, K. Hornik, T. Reutterer)",
    "kdd-cup": "the KDD Cup 2000 collection (Blue Martini Software)",
}

_LISTED = """\
70fb5381fa0dbf8d88a9fc2294d774f8573833eb269a263803c2be9fd6fca4df kr-k.csv.gz            lucs
75d01323300b540620a96468463f151202ea5c7417ca6d4c9ec29f136f77aa3a iris.csv.gz            lucs
669e273fefb0b1d781fdda34d94c3152cbdd3ee58f09676dd1c5d3149ba287b0 led7.csv.gz            lucs
6e7171eacd3445fe896c38a59a56c8a3efacbe7fe19a82451fc8df63dbd4ca6e letter.csv.gz          lucs
f92065fc9e958c9fba0ace8e17cac308ca209c4b235a4be2f4e1e332a611a43d mushroom.csv.gz        bayardo
34e5f86fdb257fd0e7f6970d8f1f93f7c56d975cb8ebc6425abd300e10a540d2 nursery.csv.gz         lucs
f5ddb0e893c258574d693d3e2fa50c674154c5d2e07466a6cb717d051368c8ca page-blocks.csv.gz     lucs
48d196000812cad227415bc9fc133e0a376b4c832edd603684397b57738f28d1 pendigits.csv.gz       lucs
9e3a9d27511a95bbab3432f2374330c370ee31276d21bc660e4696894df4ab8a pima.csv.gz            coenen
fd7d8cb495606673b11ee76ccef175de6b791c47e3fec0d117ffe5083a31c1e5 adult.csv.gz           lucs
433f431440e76675608d91aee2578db865ba94bfdfdd88b9a4bc9ad4e11262a7 retail.dat.gz          brijs
8b609d091a3dd085cf5139c39fe1eb30e16d0f2a38ce861f3432380fb60b59fa bms-webview-1.dat.gz   kdd-cup
238006e0388288eab2ec2d9e40700134909e5fe4f9b8ae412e9bac9b9d6e86f5 bms-webview-2.dat.gz   kdd-cup
3c9486dfe60bd020c71f2194d14f6329fef2b08f723029c362af7e6e34f52dae connect.dat.gz         fimi
c276f861766de89470d14080f0e1b8ee7f2dbc1ba60ea0279f3daddd3772ec1f t40i10d100k.dat.gz     fimi
638e60b6a21db2487b56b9e1abe59db788bb739515c8a4d0cfd09ac709de68be groceries.basket.csv.gz arules
"""

FILES = {
    name.partition(".")[0]: DataFile(name, digest, _SOURCES[source])
    for digest, name, source in (line.split() for line in _LISTED.splitlines())
}
"""The data files by the part of their name before the first dot."""
